// The operations of an Arnoldi step on host threads: parts of fixed length, so that sums do not depend on the threads.
#include "millrace/solve/basis/krylov_basis.hpp"

#include "millrace/solve/basis/host_loops.hpp"
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::detail {

namespace {

template <class A, class S>
void project_on_host(Queue& queue, const Comm& comm, const S* v, std::int64_t stride, std::int64_t n, int max_vectors,
                     int k, const A* u, const A* w, const Arnoldi<Wide<A>>& arnoldi) {
  using W = Wide<A>;
  const int num = num_arnoldi_sums(k);
  const std::int64_t parts = std::max<std::int64_t>((n + part - 1) / part, 1);
  const auto scratch =
      queue.scratch<A>(parts * num_arnoldi_sums(max_vectors));  // [parts, num]; the same size every time
  A* sums = scratch.data();
  parallel(threads_for(queue.num_threads(), n, {.bytes = 8 * (k + 2)}), [&](int thread, int team) {
    const auto [first, last] = even_part(parts, thread, team);
    const std::vector<A> zeros(w ? 0 : part);
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t begin = p * part, size = std::min(n - begin, part);
      const A *u_p = u + begin, *w_p = w ? w + begin : zeros.data();
      A *with_u = sums + p * num, *with_w = with_u + k, *rest = with_w + k;
      std::fill(with_u, with_u + num, A{});
      int c = 0;
      for (; c + chunk <= k; c += chunk)
        add_products<chunk>(v + c * stride + begin, stride, size, u_p, w_p, with_u + c, with_w + c);
      for (; c < k; ++c) add_products<1>(v + c * stride + begin, stride, size, u_p, w_p, with_u + c, with_w + c);
      A twice{};
      add_products<1>(u_p, 0, size, u_p, w_p, rest, rest + 1);
      add_products<1>(w_p, 0, size, w_p, w_p, rest + 2, &twice);
    }
  });
  add_parts(comm, sums, parts, num, part);
  const auto small = queue.scratch<W>(num_arnoldi_sums(max_vectors) + arnoldi_work(max_vectors));
  for (int j = 0; j < num; ++j) small.data()[j] = change_type<W>(sums[j]);
  finish_arnoldi_step(arnoldi, k, w != nullptr, small.data(), small.data() + num, Team{});
}

template <class A, class S>
void orthogonalise_on_host(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int max_vectors, int k, A* u,
                           const A* w, const Arnoldi<Wide<A>>& arnoldi) {
  const auto& now = *arnoldi.now;
  if (!now.building) return;
  const auto coefficients = queue.scratch<A>(2 * max_vectors);
  A *once = coefficients.data(), *twice = once + k;
  for (int j = 0; j < k; ++j) {
    once[j] = change_type<A>(-arnoldi.column(arnoldi.s, k)[j]);
    if (w) twice[j] = change_type<A>(-arnoldi.column(arnoldi.h, k)[j]);
  }
  const auto inverse = static_cast<RealOf<A>>(1 / now.alpha), scale = static_cast<RealOf<A>>(now.scale);
  const A last = change_type<A>(now.last);
  for_strips(queue, n, 16 * (k + 1), [&](std::int64_t begin, std::int64_t size) {
    A sum_u[strip], sum_w[strip];
    std::copy_n(u + begin, size, sum_u);
    add_all(v + begin, stride, size, k, once, sum_u);
    if (w) {
      std::copy_n(w + begin, size, sum_w);
      add_all(v + begin, stride, size, k, twice, sum_w);
    }
    S* next = v + k * stride + begin;
    for (std::int64_t i = 0; i < size; ++i) next[i] = change_type<S>(inverse * sum_u[i]);
    if (w)
      for (std::int64_t i = 0; i < size; ++i) u[begin + i] = scale * (sum_w[i] - last * change_type<A>(next[i]));
  });
}

template <class A, class S>
void combine_on_host(Queue& queue, const S* v, std::int64_t stride, std::int64_t n, const Arnoldi<Wide<A>>& arnoldi,
                     bool flexible, const A* u, A beta, A* d) {
  const int columns = arnoldi.now->columns, count = flexible ? columns : std::min(columns, arnoldi.now->stored);
  const Wide<A>* y = flexible ? arnoldi.y : arnoldi.answer;
  std::vector<A> c(static_cast<std::size_t>(columns));
  for (int j = 0; j < columns; ++j) c[static_cast<std::size_t>(j)] = change_type<A>(y[j]);
  for_strips(queue, n, 8 * (count + 2), [&](std::int64_t begin, std::int64_t size) {
    A sum[strip] = {};
    if (!is_zero(beta))
      for (std::int64_t i = 0; i < size; ++i) sum[i] = beta * d[begin + i];
    add_all(v + begin, stride, size, count, c.data(), sum);
    if (columns > count) add_scaled<1>(u + begin, 0, size, c.data() + count, sum);
    std::copy_n(sum, size, d + begin);
  });
}

template <class A, class S>
void rotate_on_host(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int from, int to, const Wide<A>* y) {
  std::vector<A> c(static_cast<std::size_t>(from * to));
  for (std::size_t j = 0; j < c.size(); ++j) c[j] = change_type<A>(y[j]);
  for_strips(queue, n, 8 * from * to, [&](std::int64_t begin, std::int64_t size) {
    std::vector<A> sums(static_cast<std::size_t>(to * size));
    for (int t = 0; t < to; ++t) add_all(v + begin, stride, size, from, c.data() + t * from, sums.data() + t * size);
    for (int t = 0; t < to; ++t)
      for (std::int64_t i = 0; i < size; ++i)
        v[t * stride + begin + i] = change_type<S>(sums[static_cast<std::size_t>(t * size + i)]);
  });
}

}  // namespace

template <class T>
void KrylovBasis<T>::project(Queue& queue, const Comm& comm, int k, const T* u, const T* w,
                             const Arnoldi<Wide<T>>& arnoldi) const {
  visit([&]<class S>(const S* v) {
    if (queue.device().on_host()) {
      if (arnoldi.now->building) project_on_host(queue, comm, v, stride_, size_, num_, k, arith(u), arith(w), arnoldi);
    } else if constexpr (build::cuda) {
      cuda::KrylovKernels<A, S>::project(queue, comm, v, stride_, size_, num_, k, arith(u), arith(w), arnoldi);
    } else {
      throw Unsupported("project: a CUDA device was asked for, but this build has no CUDA");
    }
  });
}

template <class T>
void KrylovBasis<T>::orthogonalise(Queue& queue, int k, T* u, const T* w, const Arnoldi<Wide<T>>& arnoldi) {
  visit([&]<class S>(S* v) {
    if (queue.device().on_host())
      orthogonalise_on_host(queue, v, stride_, size_, num_, k, arith(u), arith(w), arnoldi);
    else if constexpr (build::cuda)
      cuda::KrylovKernels<A, S>::orthogonalise(queue, v, stride_, size_, k, arith(u), arith(w), arnoldi);
  });
}

template <class T>
void KrylovBasis<T>::combine(Queue& queue, const Arnoldi<Wide<T>>& arnoldi, bool flexible, const T* u, T beta,
                             T* d) const {
  visit([&]<class S>(const S* v) {
    if (queue.device().on_host())
      combine_on_host(queue, v, stride_, size_, arnoldi, flexible, arith(u), arith(beta), arith(d));
    else if constexpr (build::cuda)
      cuda::KrylovKernels<A, S>::combine(queue, v, stride_, size_, arnoldi, flexible, arith(u), arith(beta), arith(d));
  });
}

template <class T>
void KrylovBasis<T>::rotate(Queue& queue, int first, int from, int to, const Wide<T>* y) {
  visit([&]<class S>(S* v) {
    v += first * stride_;
    if (queue.device().on_host())
      rotate_on_host<A>(queue, v, stride_, size_, from, to, y);
    else if constexpr (build::cuda)
      cuda::KrylovKernels<A, S>::rotate(queue, v, stride_, size_, from, to, y);
  });
}

template <class T>
void KrylovBasis<T>::copy(Queue& queue, int from, int to, int count) {
  visit([&]<class S>(S* v) {
    copy_bytes(queue, queue.device(), v + to * stride_, queue.device(), v + from * stride_,
               static_cast<std::size_t>(count * stride_) * sizeof(S));
  });
}

template <class T>
void KrylovBasis<T>::take_out(Queue& queue, int k, T* x) const {
  visit([&]<class S>(const S* v) {
    v += k * stride_;
    if (queue.device().on_host())
      parallel_for(queue.num_threads(), size_, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) arith(x)[i] = change_type<A>(v[i]);
      });
    else if constexpr (build::cuda)
      cuda::KrylovKernels<A, S>::take_out(queue, v, size_, arith(x));
  });
}

template <class W>
void least_squares(Queue& queue, const Arnoldi<W>& arnoldi) {
  if (queue.device().on_host())
    solve_least_squares(arnoldi, Team{});
  else if constexpr (build::cuda)
    cuda::least_squares(queue, arnoldi);
}

template class KrylovBasis<float>;
template class KrylovBasis<double>;
template class KrylovBasis<std::complex<float>>;
template class KrylovBasis<std::complex<double>>;
template void least_squares(Queue&, const Arnoldi<double>&);
template void least_squares(Queue&, const Arnoldi<Complex<double>>&);

}  // namespace millrace::detail
