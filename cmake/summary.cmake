# One line that says what this build contains.
set(features "")
foreach(name CUDA MPI OPENMP PYTHON TESTS BENCHMARKS)
  if(MILLRACE_${name})
    list(APPEND features ${name})
  endif()
endforeach()
list(JOIN features " " features)
message(STATUS "Millrace ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, with: ${features}")
