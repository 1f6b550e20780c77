// The peers that this build and device have.
#include "millrace/bench/contender.hpp"
#include "millrace/bench/features.hpp"

namespace millrace::bench {

template <class T>
Makers<T> peers(const Problem<T>& problem) {
  Makers<T> makers;
  const auto add = [&](Makers<T>&& more) {
    for (auto& maker : more) makers.push_back(std::move(maker));
  };
  if (!problem.queue.device().on_host()) {
    if constexpr (features::cusparse) add(cusparse_peers(problem));
    if constexpr (features::cublas) add(cublas_peers(problem));
    return makers;
  }
  add(plain_peers(problem));
  add(plain_bsr_peers(problem));
  if constexpr (features::eigen) add(eigen_peers(problem));
  if constexpr (features::graphblas) add(graphblas_peers(problem));
  if constexpr (features::petsc) add(petsc_peers(problem));
  return makers;
}

template Makers<float> peers(const Problem<float>&);
template Makers<double> peers(const Problem<double>&);
template Makers<std::complex<float>> peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
