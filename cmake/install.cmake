# The installed package: headers, library, command and millrace-config.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS millrace EXPORT millrace_targets)
install(DIRECTORY src/millrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(EXPORT millrace_targets NAMESPACE millrace:: FILE millrace-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
configure_package_config_file(cmake/millrace-config.cmake.in ${CMAKE_BINARY_DIR}/millrace-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/millrace-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/millrace-config.cmake ${CMAKE_BINARY_DIR}/millrace-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
if(TARGET millrace_command)
  set_target_properties(millrace_command PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS millrace_command)
endif()
