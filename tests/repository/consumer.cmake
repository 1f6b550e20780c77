# Installs the build into a fresh prefix, then configures, builds and runs tests/consumer against it alone.
# Called by ctest with -D build= source= work= generator= compiler= config= options=.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "consumer: could not ${what} (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${work})
run("install the build" ${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --config ${config})
run("configure the consumer" ${CMAKE_COMMAND} -S ${source} -B ${work}/build -G ${generator}
    -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_BUILD_TYPE=${config} -DCMAKE_PREFIX_PATH=${work}/prefix ${options})
run("build the consumer" ${CMAKE_COMMAND} --build ${work}/build --config ${config})
run("run the consumer" ${work}/build/consumer)
message(STATUS "${output}")
if(EXISTS ${work}/prefix/bin/millrace)
  run("run the installed command" ${work}/prefix/bin/millrace --help)
endif()
file(REMOVE_RECURSE ${work})
