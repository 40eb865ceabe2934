# What every target of ours shares.  Nothing here reaches a user of the installed package.
include(GNUInstallDirs)
option(ORRERY_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(ORRERY_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(ORRERY_WARNINGS_AS_ERRORS "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
option(ORRERY_UNITY_BUILD "Compile several sources of a library in one go" ON)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# Where the command finds its front ends, from its own place: ../lib/orrery, built or installed.
set(ORRERY_RUNTIME_DIR lib/orrery)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
# Where each variable is at each instruction is left to Debug: a fifth of the time to compile, and
# two fifths of the size.  Not -g1: its names are short, and reports then show what is ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(APPEND CMAKE_CXX_FLAGS_RELWITHDEBINFO " -fno-var-tracking")
endif()

find_package(PkgConfig REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS fiber context)
find_package(fmt 9 REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid)
pkg_check_modules(ELFUTILS REQUIRED IMPORTED_TARGET libdw libelf)
# Only `show --export otf2` needs it, and says so where it is not here.
pkg_check_modules(OTF2 QUIET otf2)

# A folder without sources yet still makes a target that others can link.
set(ORRERY_EMPTY_SOURCE ${CMAKE_BINARY_DIR}/empty.cpp)
if(NOT EXISTS ${ORRERY_EMPTY_SOURCE})
  file(WRITE ${ORRERY_EMPTY_SOURCE} "// A target without sources of its own yet.\n")
endif()

# orrery_warnings(TARGET): our own strictness, private to the target.  At -O3, gcc 12 sees overlaps
# in `"text" + string` that are not there (-Wrestrict, gcc bug 105651).
function(orrery_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Wconversion -Wno-sign-conversion
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
    $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>
    $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>
    $<$<BOOL:${ORRERY_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# orrery_unity(TARGET): most of a compiler's time goes into the headers that sources share.
function(orrery_unity target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${ORRERY_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 10)
endfunction()

# orrery_library(FOLDER [LINKS...]): the static library of one folder, from its src/*.cpp, with
# the public headers of include/orrery/FOLDER.
function(orrery_library folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.cpp)
  if(NOT sources)
    set(sources ${ORRERY_EMPTY_SOURCE})
  endif()
  add_library(orrery_${folder} STATIC ${sources})
  add_library(orrery::${folder} ALIAS orrery_${folder})
  set_target_properties(orrery_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_compile_features(orrery_${folder} PUBLIC cxx_std_20)
  target_include_directories(orrery_${folder}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include/orrery/${folder} ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(orrery_${folder} PUBLIC ${ARGN})
  orrery_unity(orrery_${folder})
  orrery_warnings(orrery_${folder})
endfunction()

# orrery_program(NAME PATTERNS...): an executable in bin/, from the sources that match.
function(orrery_program name)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  if(NOT sources)
    message(STATUS "${name}: no sources yet, skipped")
    return()
  endif()
  add_executable(${name} ${sources})
  orrery_warnings(${name})
endfunction()

# orrery_take_in_libraries(TARGET): has in the executable what it would load whenever it starts, where
# there are archives of that: a fifth of the time of a short run, as a run starts the command twice.
function(orrery_take_in_libraries target)
  foreach(name IN ITEMS dw elf zstd boost_fiber boost_context z lzma bz2)
    find_library(ORRERY_${name}_ARCHIVE lib${name}.a)
    mark_as_advanced(ORRERY_${name}_ARCHIVE)
    if(NOT ORRERY_${name}_ARCHIVE)
      message(STATUS "${target}: there is no lib${name}.a, so it loads the shared libraries")
      return()
    endif()
    if(name MATCHES "^(z|lzma|bz2)$")
      list(APPEND archives ${ORRERY_${name}_ARCHIVE})
    else()
      list(APPEND whole ${ORRERY_${name}_ARCHIVE})
    endif()
  endforeach()
  list(JOIN whole " " whole)
  # Before our own archives, which ask for the shared ones; and whole, as nobody has asked for anything.
  target_link_options(${target} PRIVATE -Wl,--as-needed
    "SHELL:-Wl,--push-state,--whole-archive ${whole} -Wl,--pop-state" ${archives})
endfunction()
