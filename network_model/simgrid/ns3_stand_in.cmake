# Debian's SimGrid is linked with ns-3, for a network model that nobody asks us for.  Its libraries have
# 25,000 symbols to look up and many static objects to make, which took most of the time of reading a
# platform.  So orrery_platform finds a small library of ours in their place: with every name that SimGrid
# wants of ns-3, and functions that do nothing, as SimGrid's own static objects call some of them.
#
# Which names these are, we see in the library that is installed.  SimGrid without ns-3 needs nothing.

# orrery_ns3_stand_in(TARGET LIBRARY): TARGET, which is linked with SimGrid's LIBRARY, does without ns-3.
function(orrery_ns3_stand_in target library)
  file(REAL_PATH ${library} library)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${library})
  execute_process(COMMAND ${CMAKE_READELF} -dW ${library} OUTPUT_VARIABLE needed)
  string(REGEX MATCHALL "libns3[^]]*" needed "${needed}")
  if(NOT needed)
    return()
  endif()

  # Objects and their sizes; whatever else has a name of ns-3 is a function.
  get_filename_component(directory ${library} DIRECTORY)
  foreach(name IN LISTS needed)
    find_library(file NAMES ${name} HINTS ${directory} NO_CACHE)
    if(NOT file)
      message(STATUS "${name} is not found: orrery_platform loads ns-3")
      return()
    endif()
    execute_process(COMMAND ${CMAKE_NM} -D -S --defined-only ${file} OUTPUT_VARIABLE symbols)
    string(REGEX MATCHALL "[0-9a-f]+ [BDRVu] [^\n]*" objects "${symbols}")
    foreach(object IN LISTS objects)
      string(REGEX MATCH "^([0-9a-f]+) . (.*)$" object "${object}")
      set(size_of_${CMAKE_MATCH_2} 0x${CMAKE_MATCH_1})
    endforeach()
    unset(file)
  endforeach()
  execute_process(COMMAND ${CMAKE_NM} -D --undefined-only ${library} OUTPUT_VARIABLE symbols)
  string(REGEX MATCHALL "_Z[^\n]*3ns3[^\n]*" symbols "${symbols}")
  set(text "// Written by ns3_stand_in.cmake.\n")
  foreach(symbol IN LISTS symbols)
    if(DEFINED size_of_${symbol})
      string(APPEND text "_Alignas(16) char ${symbol}[${size_of_${symbol}}];\n")
    else()
      string(APPEND text "long ${symbol}(void) { return 0; }\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ns3_stand_in.c CONTENT "${text}" @ONLY)

  set(directory ${ORRERY_RUNTIME_DIR}/simgrid)
  add_library(orrery_ns3_stand_in SHARED ${CMAKE_CURRENT_BINARY_DIR}/ns3_stand_in.c)
  set_target_properties(orrery_ns3_stand_in PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${directory})
  add_dependencies(${target} orrery_ns3_stand_in)
  install(TARGETS orrery_ns3_stand_in LIBRARY DESTINATION ${directory})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${directory})
  foreach(name IN LISTS needed)
    file(CREATE_LINK liborrery_ns3_stand_in.so ${CMAKE_BINARY_DIR}/${directory}/${name} SYMBOLIC)
    install(FILES ${CMAKE_BINARY_DIR}/${directory}/${name} DESTINATION ${directory})
  endforeach()
  # The old tag: the new one counts for the program's own libraries only, and not for theirs.
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(${target} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/simgrid")
endfunction()
