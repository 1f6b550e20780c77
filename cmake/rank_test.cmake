# millrace_rank_test(name ranks command...): a test of ctest on so many ranks of MPI, one thread each, which may be more
# than there are cores.
function(millrace_rank_test name ranks)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS mpi PROCESSORS 2
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMP_NUM_THREADS=1")
endfunction()
