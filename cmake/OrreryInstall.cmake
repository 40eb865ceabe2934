# What `cmake --install` lays down: the command, the libraries with their public headers, and the
# package that `find_package(Orrery)` reads.  Front ends install their own parts, below
# ORRERY_RUNTIME_DIR, where the command looks for them (seen from bin/: ../lib/orrery).
include(CMakePackageConfigHelpers)
set(orrery_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Orrery)

set(orrery_folders network_model sim_runtime replay_core explorers)
foreach(folder IN LISTS orrery_folders)
  install(TARGETS orrery_${folder} EXPORT OrreryTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/include)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  endif()
endforeach()
if(TARGET orrery)
  install(TARGETS orrery RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT OrreryTargets NAMESPACE orrery:: DESTINATION ${orrery_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/OrreryConfig.cmake.in
  ${CMAKE_BINARY_DIR}/OrreryConfig.cmake INSTALL_DESTINATION ${orrery_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/OrreryConfig.cmake ${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake
        DESTINATION ${orrery_package_dir})
