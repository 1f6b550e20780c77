// Threads of the BLAS that SuiteSparse calls: as many as ours, not one per core of the machine.
#pragma once

namespace millrace::detail {

/// While this lives, the BLAS of this process (OpenBLAS, BLIS or MKL, and what runs on OpenMP) takes at most so many
/// threads; several at once: the fewest asked for. Afterwards it has what it had.
class BlasThreads {
 public:
  explicit BlasThreads(int num_threads);
  /// default_num_threads() for so many operations on blocks, each of which is small; one where that is too little, or
  /// others want the cores.
  static BlasThreads for_work(double flops);
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;
  ~BlasThreads();

  /// Of the BLAS that is loaded; 0: one that has no threads, or none that we know.
  static int now();

 private:
  int before_omp_ = 0;
};

}  // namespace millrace::detail
