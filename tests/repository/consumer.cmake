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
# What nobody outside needs is not there; what users and their compilers need is.
foreach(private solve/engine/loop.hpp solve/methods/cg_steps.hpp sparse/convert/steps.hpp bench/record.hpp
        io/gmsh_scanner.hpp base/cache.hpp)
  if(EXISTS ${work}/prefix/include/millrace/${private})
    message(FATAL_ERROR "consumer: the private header millrace/${private} is installed")
  endif()
endforeach()
foreach(public millrace.hpp fem.hpp sparse/matrix.hpp sparse/format/padded.hpp fem/user_physics_cuda.cuh)
  if(NOT EXISTS ${work}/prefix/include/millrace/${public})
    message(FATAL_ERROR "consumer: millrace/${public} is not installed")
  endif()
endforeach()
run("configure the consumer" ${CMAKE_COMMAND} -S ${source} -B ${work}/build -G ${generator}
    -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_BUILD_TYPE=${config} -DCMAKE_PREFIX_PATH=${work}/prefix ${options})
run("build the consumer" ${CMAKE_COMMAND} --build ${work}/build --config ${config})
run("run the consumer" ${work}/build/consumer)
message(STATUS "${output}")
if(EXISTS ${work}/prefix/bin/millrace)
  run("run the installed command" ${work}/prefix/bin/millrace --help)
endif()
file(REMOVE_RECURSE ${work})
