// Estimates the bounds of a smoother and makes its polynomial.
#include "millrace/precond/chebyshev_smoother.hpp"

#include "millrace/base/thread_limit.hpp"

namespace millrace {

template <class T>
ChebyshevSmoother<T>::ChebyshevSmoother(Queue& queue, const Operator<T>& a, Jacobi<T> jacobi,
                                        const ChebyshevSmootherOptions& options)
    : jacobi_(std::make_unique<Jacobi<T>>(std::move(jacobi))) {
  const ThreadLimit limit(queue);
  require(options.ratio == 0 || options.ratio >= 1, "chebyshev smoother: a ratio of ", options.ratio,
          " was given; 1 or more, or 0 for the smallest estimated eigenvalue, are accepted");
  bounds_ = estimate_bounds(queue, a, *jacobi_, options.num_steps);
  if (options.ratio > 0) bounds_.smallest = bounds_.largest / options.ratio;
  polynomial_ = std::make_unique<ChebyshevPolynomial<T>>(a, *jacobi_, bounds_, options.degree);
}

template class ChebyshevSmoother<float>;
template class ChebyshevSmoother<double>;
template class ChebyshevSmoother<std::complex<float>>;
template class ChebyshevSmoother<std::complex<double>>;

}  // namespace millrace
