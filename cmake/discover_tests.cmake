# Run after a test program was linked: writes what ctest includes, one test per suite (a process per test would cost
# more than most tests). The label follows from the name of the suite: Gpu... gpu, Data... data, Slow... slow,
# Convergence... convergence, and fast for all others; all suites for a GPU are one test, and suites of PETSc, whose
# ranks wait by spinning, run with nothing beside them.
# cmake -D program=test_sparse -D room=sparse -D output=sparse_tests.cmake -P discover_tests.cmake
execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE text RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} --gtest_list_tests ended with ${status}:\n${text}")
endif()
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." found "${text}")
list(TRANSFORM found REPLACE "^\n|(/[0-9]+)?\\.$" "")
list(REMOVE_DUPLICATES found)
set(lines "")
# Nothing passed, some were skipped, none failed: gtest would list those last.
set(skipped "PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n?)+$")
macro(add_suite name filter label)
  set(cores 1)
  if("${name}" MATCHES Petsc)
    cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  endif()
  string(APPEND lines "add_test([=[${name}]=] [=[${program}]=] [=[--gtest_filter=${filter}]=])\n"
         "set_tests_properties([=[${name}]=] PROPERTIES LABELS ${label} PROCESSORS ${cores}\n"
         "  SKIP_REGULAR_EXPRESSION [=[${skipped}]=])\n")
endmacro()
foreach(suite ${found})
  set(label fast)
  if(suite MATCHES "(^|/)(Gpu|Data|Slow|Convergence)")
    string(TOLOWER ${CMAKE_MATCH_2} label)
  endif()
  if(label STREQUAL gpu)
    set(has_gpu TRUE)
  else()
    add_suite(${room}.${suite} "${suite}.*:${suite}/*" ${label})
  endif()
endforeach()
if(has_gpu)
  add_suite(${room}.gpu "Gpu*:*/Gpu*" gpu)
endif()
file(WRITE ${output} "${lines}")
