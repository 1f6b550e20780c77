// Jacobi on the host, and the way to the GPU.
#include "millrace/precond/jacobi.hpp"

#include <atomic>
#include <limits>
#include <numeric>

#include "millrace/base/scalar.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/jacobi_cuda.hpp"

namespace millrace {
namespace {

/// inverse[i] = 1 / a_ii, repeated entries added up. Returns the first row whose diagonal is zero, or num_rows.
template <class View, class A>
Index invert_diagonal(int num_threads, const View& a, bool zero_as_one, A* inverse) {
  std::atomic<Index> bad = a.num_rows;
  parallel_for(num_threads, a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      A sum{};
      for (Offset s = a.row_ptr[r]; s < static_cast<Offset>(a.row_ptr[r + 1]); ++s)
        if (a.cols[s] == r) sum += a.vals[s];
      const bool zero = is_zero(sum);
      inverse[r] = zero ? one<A>() : reciprocal(sum);
      if (!zero || zero_as_one) continue;
      for (Index first = bad; r < first && !bad.compare_exchange_weak(first, r);) {
      }
    }
  });
  return bad;
}

template <class A, class S>
void scale(int num_threads, const S* inverse, bool conjugated, A alpha, const Vectors<const A>& x, A beta,
           const Vectors<A>& y) {
  parallel_for(num_threads, y.size, [&](std::int64_t begin, std::int64_t end) {
    for (int v = 0; v < y.num; ++v) {
      const A* from = x.data + v * x.stride;
      A* to = y.data + v * y.stride;
      if (is_one(alpha) && is_zero(beta) && !conjugated)
        for (std::int64_t i = begin; i < end; ++i) to[i] = change_type<A>(inverse[i]) * from[i];
      else
        for (std::int64_t i = begin; i < end; ++i) {
          const A d = change_type<A>(inverse[i]);
          update(to[i], alpha, (conjugated ? conjugate(d) : d) * from[i], beta);
        }
    }
  });
}

}  // namespace

template <class T>
Jacobi<T>::Jacobi(Queue& queue, const Csr<T>& a, const JacobiOptions& options)
    : options_(options), inverse_(a.device(), a.num_rows, options.precision) {
  update_values(queue, a);
}

template <class T>
Jacobi<T>::Jacobi(Queue& queue, Vectors<const T> diagonal, const JacobiOptions& options)
    : options_(options), inverse_(diagonal.device, diagonal.size, options.precision) {
  update_diagonal(queue, diagonal);
}

/// As of a matrix that is nothing but its diagonal, so that host and GPU have one way.
template <class T>
void Jacobi<T>::update_diagonal(Queue& queue, Vectors<const T> diagonal) {
  const ThreadLimit limit(queue);
  require(diagonal.num == 1 && diagonal.size == inverse_.size(), "jacobi: a diagonal is one vector of ",
          inverse_.size(), " entries; this is ", diagonal.num, " of ", diagonal.size);
  require<Unsupported>(diagonal.size < std::numeric_limits<Index>::max(), "jacobi: a diagonal of ", diagonal.size,
                       " entries; at most 2^31 - 2 are possible");
  const auto n = static_cast<Index>(diagonal.size);
  Array<Index> numbers(std::int64_t{n} + 1);
  std::iota(numbers.data(), numbers.data() + numbers.size(), 0);
  if (!diagonal.device.on_host()) numbers = numbers.to(diagonal.device);
  const DeviceSpan<const std::int32_t> offsets(diagonal.device, numbers.data(), numbers.size());
  update_values(queue, Csr<T>::wrap(n, n, offsets, DeviceSpan<const Index>(diagonal.device, numbers.data(), n),
                                    DeviceSpan<const T>(diagonal.device, diagonal.data, n), trust));
}

template <class T>
void Jacobi<T>::update_values(Queue& queue, const Csr<T>& a) {
  const ThreadLimit limit(queue);
  require_square_here("jacobi", queue, a);
  require(a.num_rows == inverse_.size() && a.device() == device(), "jacobi: update_values needs a matrix of ",
          inverse_.size(), " rows on ", to_string(device()), "; this one has ", a.num_rows, " on ",
          to_string(a.device()));
  Index bad = a.num_rows;
  if (device().on_host()) {
    Array<Arith<T>> full(a.num_rows);
    bad = a.visit_view([&](const auto& view) {
      return invert_diagonal(queue.num_threads(), view, options_.zero_as_one, full.data());
    });
    if (bad == a.num_rows) inverse_.assign(queue.num_threads(), full.data());
  } else if constexpr (build::cuda) {
    bad = cuda::invert_diagonal(queue, a, options_.zero_as_one, inverse_);
  } else {
    throw Unsupported("jacobi: a CUDA device was asked for, but this build has no CUDA");
  }
  require(bad == a.num_rows, "jacobi: the diagonal entry of row ", bad,
          " is zero or missing; other preconditioners or the option zero_as_one accept that");
}

template <class T>
Jacobi<T> Jacobi<T>::to(Device target) const {
  Jacobi copy;
  copy.options_ = options_;
  copy.inverse_ = inverse_.to(target);
  return copy;
}

template <class T>
Traffic Jacobi<T>::traffic(int num_vectors, bool reads_y) const {
  const auto n = static_cast<double>(inverse_.size());
  Traffic traffic;
  traffic.matrix = static_cast<double>(inverse_.bytes());
  traffic.vectors = n * sizeof(T) * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = n * sizeof(T) + traffic.vectors;
  return traffic;
}

template <class T>
void Jacobi<T>::do_apply(Queue& queue, const ApplyRequest<T>& r) const {
  const auto x = arith(r.x);
  const auto y = arith(r.y);
  const bool conjugated = is_complex<T> && r.op == Op::conjugate_transpose;
  if (device().on_host()) {
    inverse_.visit([&](const auto* inverse) {
      scale(queue.num_threads(), inverse, conjugated, arith(r.alpha), x, arith(r.beta), y);
    });
  } else if constexpr (build::cuda) {
    cuda::apply_jacobi<T>(queue, inverse_, conjugated, arith(r.alpha), x, arith(r.beta), y);
  } else {
    throw Unsupported("jacobi: a CUDA device was asked for, but this build has no CUDA");
  }
}

template class Jacobi<float>;
template class Jacobi<double>;
template class Jacobi<std::complex<float>>;
template class Jacobi<std::complex<double>>;

}  // namespace millrace
