# Run by ctest: install, configure, build and run the project in outside/.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "failed (${status}): ${line}\n${output}")
  endif()
  set(step_output "${output}" PARENT_SCOPE)
endfunction()

# What an earlier run left must not make this one pass.
file(REMOVE_RECURSE ${work_dir})
set(prefix ${work_dir}/prefix)
step(${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})

step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/outside -B ${work_dir}/outside -G Ninja
     -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
     -D CMAKE_CXX_COMPILER=${cxx_compiler} -D "CMAKE_CXX_FLAGS=${cxx_flags}"
     -D CMAKE_BUILD_TYPE=${build_type} -D orrery_version_wanted=${version})
step(${CMAKE_COMMAND} --build ${work_dir}/outside)
step(${CMAKE_COMMAND} -E chdir ${work_dir}/outside ./scenario)
message(STATUS "${step_output}")
step(${CMAKE_COMMAND} -E chdir ${work_dir}/outside ./program)

if(has_command)
  step(${prefix}/bin/orrery list strategies)
  if(NOT step_output MATCHES "random")
    message(FATAL_ERROR "the installed command lists no strategy 'random':\n${step_output}")
  endif()
  # It finds its headers for programs by itself.
  step(${prefix}/bin/orrery c++ -std=c++17 -pthread ${CMAKE_CURRENT_LIST_DIR}/outside/program.cpp
       -o ${work_dir}/program)
  step(${prefix}/bin/orrery run ${work_dir}/program)
endif()
