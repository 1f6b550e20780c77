# The installed package: headers, library, command and millrace-config.cmake.
include(CMakePackageConfigHelpers)
install(TARGETS millrace EXPORT millrace_targets)
# Of the headers only the public ones and what they include, however deep: private headers stay at home.
include(cmake/included.cmake)
millrace_included(installed_headers ${PROJECT_SOURCE_DIR}/src millrace/millrace.hpp millrace/fem.hpp
                  millrace/fem/user_physics_cuda.cuh)
foreach(header ${installed_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(EXPORT millrace_targets NAMESPACE millrace:: FILE millrace-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
configure_package_config_file(cmake/millrace-config.cmake.in ${CMAKE_BINARY_DIR}/millrace-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/millrace-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/millrace-config.cmake ${CMAKE_BINARY_DIR}/millrace-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
if(TARGET millrace_command)
  install(TARGETS millrace_command)
endif()
