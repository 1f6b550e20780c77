// Dot products on the host, with a fixed tree, so that their bits do not depend on the threads.
#include "millrace/base/dot.hpp"

#include <vector>

#include "millrace/base/part_sums.hpp"

namespace millrace {

namespace cuda {
template <class T>
void dot(Queue& queue, Vectors<const T> x, Vectors<const T> y, T* result);
}

namespace {

constexpr std::int64_t part = 4096;  // entries summed one after another; parts do not depend on threads

template <class A>
A dot_part(const A* x, const A* y, std::int64_t begin, std::int64_t end) {
  A sum{};
  for (std::int64_t i = begin; i < end; ++i) sum = multiply_add(conjugate(x[i]), y[i], sum);
  return sum;
}

template <class T>
T dot_on_host(int num_threads, const Comm& comm, const T* x, const T* y, std::int64_t size) {
  using A = Arith<T>;
  std::vector<A> sums(static_cast<std::size_t>(std::max<std::int64_t>((size + part - 1) / part, 1)));
  parallel(threads_for(num_threads, size, {.bytes = 4 * sizeof(T)}), [&](int thread, int count) {
    const auto [first, last] = even_part(std::ssize(sums), thread, count);
    for (std::int64_t p = first; p < last; ++p)
      sums[static_cast<std::size_t>(p)] = dot_part(arith(x), arith(y), p * part, std::min(size, (p + 1) * part));
  });
  detail::add_parts(comm, sums.data(), std::ssize(sums), 1, part);
  if constexpr (is_complex<T>)
    return {sums[0].re, sums[0].im};
  else
    return sums[0];
}

}  // namespace

template <class T>
void dot(Queue& queue, Vectors<const T> x, Vectors<const T> y, T* result) {
  if (queue.device().on_host()) {
    for (int v = 0; v < x.num; ++v)
      result[v] = dot_on_host(queue.num_threads(), {}, x.data + v * x.stride, y.data + v * y.stride, x.size);
  } else if constexpr (build::cuda) {
    cuda::dot(queue, x, y, result);
  } else {
    throw Unsupported("dot: a CUDA device was asked for, but this build has no CUDA");
  }
}

template <class T>
void dot_over_ranks(Queue& queue, const Comm& comm, Vectors<const T> x, Vectors<const T> y, T* result) {
  for (int v = 0; v < x.num; ++v)
    result[v] = dot_on_host(queue.num_threads(), comm, x.data + v * x.stride, y.data + v * y.stride, x.size);
}

template void dot(Queue&, Vectors<const float>, Vectors<const float>, float*);
template void dot(Queue&, Vectors<const double>, Vectors<const double>, double*);
template void dot(Queue&, Vectors<const std::complex<float>>, Vectors<const std::complex<float>>, std::complex<float>*);
template void dot(Queue&, Vectors<const std::complex<double>>, Vectors<const std::complex<double>>,
                  std::complex<double>*);

template void dot_over_ranks(Queue&, const Comm&, Vectors<const float>, Vectors<const float>, float*);
template void dot_over_ranks(Queue&, const Comm&, Vectors<const double>, Vectors<const double>, double*);
template void dot_over_ranks(Queue&, const Comm&, Vectors<const std::complex<float>>,
                             Vectors<const std::complex<float>>, std::complex<float>*);
template void dot_over_ranks(Queue&, const Comm&, Vectors<const std::complex<double>>,
                             Vectors<const std::complex<double>>, std::complex<double>*);

}  // namespace millrace
