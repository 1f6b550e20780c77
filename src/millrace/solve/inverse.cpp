// A solver as an operator.
#include "millrace/solve/inverse.hpp"

#include "millrace/solve/engine/steps.hpp"

namespace millrace {

using namespace detail;

template <class T>
Traffic Inverse<T>::traffic(int num_vectors, bool reads_y) const {
  const double vector = static_cast<double>(shape().rows) * sizeof(T);
  const Traffic a = a_.traffic(), m = m_->traffic();
  if (const std::int64_t times = applied_->times; times > 0) {
    const double mean = applied_->bytes / static_cast<double>(times) * num_vectors;
    return {.matrix = mean, .vectors = reads_y ? 3 * vector * num_vectors : 0, .minimum = mean};
  }
  const double times = static_cast<double>(options_.max_iterations) * num_vectors;
  return {.matrix = times * (a.matrix + m.matrix),
          .vectors = times * (a.vectors + m.vectors + 9 * vector) + (reads_y ? 3 * vector * num_vectors : 0),
          .minimum = times * (a.minimum + m.minimum)};
}

template <class T>
void Inverse<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  using A = Arith<T>;
  const std::int64_t n = shape().rows;
  const bool plain = request.alpha == T(1) && request.beta == T(0);
  const auto result = queue.scratch<T>(plain ? 0 : n);
  const double vector_bytes = static_cast<double>(n) * sizeof(T);  // to fill the start
  SolveOptions options = options_;
  options.never_worse = false;  // zero would be no preconditioner
  for (int v = 0; v < request.x.num; ++v) {
    T* y = request.y.data + v * request.y.stride;
    const Vectors<const T> rhs(queue.device(), request.x.data + v * request.x.stride, n);
    const Vectors<T> solution(queue.device(), plain ? y : result.data(), n);
    sweep(queue, Comm(), n, FillStep<A>(A{}, arith(solution.data)));
    applied_->bytes += solver_(queue, a_, *m_, rhs, solution, options).bytes + vector_bytes;
    ++applied_->times;
    if (!plain)
      sweep(queue, Comm(), n, AddStep<A>(arith(request.alpha), arith(solution.data), arith(request.beta), arith(y)));
  }
}

template class Inverse<float>;
template class Inverse<double>;
template class Inverse<std::complex<float>>;
template class Inverse<std::complex<double>>;

}  // namespace millrace
