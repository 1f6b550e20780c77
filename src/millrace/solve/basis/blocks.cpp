// The operations of a block of vectors on host threads: parts and strips of fixed length, so that the bits do not
// depend on the threads.
#include "millrace/solve/basis/blocks.hpp"

#include "millrace/base/mailbox.hpp"
#include "millrace/solve/basis/host_loops.hpp"
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::detail {

namespace {

// sums[c * width + j] += <v_j, z_c> over `size` entries, j < count.
template <class A, class S>
void add_block(const S* v, std::int64_t stride, int count, std::int64_t size, const Vectors<const A>& z,
               std::int64_t begin, int width, A* sums) {
  A unused[chunk] = {};
  for (int c = 0; c < z.num; c += 2) {
    const bool pair = c + 1 < z.num;
    const A *one = z.data + c * z.stride + begin, *two = pair ? one + z.stride : one;
    A *to_one = sums + c * width, *to_two = to_one + width;
    int j = 0;
    for (; j + chunk <= count; j += chunk)
      add_products<chunk>(v + j * stride + begin, stride, size, one, two, to_one + j, pair ? to_two + j : unused);
    for (; j < count; ++j)
      add_products<1>(v + j * stride + begin, stride, size, one, two, to_one + j, pair ? to_two + j : unused);
  }
}

template <class A, class S>
void sums_on_host(Queue& queue, const Comm& comm, const S* v, std::int64_t stride, int k, const Vectors<const A>& w,
                  const Vectors<const A>& z, Wide<A>* result) {
  using W = Wide<A>;
  const int width = k + w.num, num = width * w.num;
  const std::int64_t n = w.size, parts = std::max<std::int64_t>((n + part - 1) / part, 1);
  const auto scratch = queue.scratch<A>(parts * num);  // [parts, b, k + b]
  A* sums = scratch.data();
  parallel(threads_for(queue.num_threads(), n, {.bytes = 8 * num}), [&](int thread, int team) {
    const auto [first, last] = even_part(parts, thread, team);
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t begin = p * part, size = std::min(n - begin, part);
      A* own = sums + p * num;
      std::fill(own, own + num, A{});
      add_block(v, stride, k, size, z, begin, width, own);
      add_block(w.data, w.stride, w.num, size, z, begin, width, own + k);
    }
  });
  add_parts(comm, sums, parts, num, part);
  for (int j = 0; j < num; ++j) result[j] = change_type<W>(sums[j]);
}

template <class A, class S, class To>
void combine_on_host(Queue& queue, const S* v, std::int64_t stride, int k, const Vectors<A>& w, const Wide<A>* y,
                     bool subtract, To* to, std::int64_t to_stride) {
  const int b = w.num, width = k + b;
  std::vector<A> c(static_cast<std::size_t>(b * width));
  for (int row = 0; row < b; ++row)
    for (int j = 0; j < width; ++j) {
      const Wide<A> value = y[row * width + j];
      A& own = c[static_cast<std::size_t>(row * width + j)];
      if (!subtract)
        own = change_type<A>(value);
      else
        own = j < k ? change_type<A>(-value) : j - k == row ? one<A>() : A{};
    }
  for_strips(queue, w.size, 8 * width * b, [&](std::int64_t begin, std::int64_t size) {
    std::vector<A> sums(static_cast<std::size_t>(b * size));
    for (int row = 0; row < b; ++row) {
      A* sum = sums.data() + row * size;
      add_all(v + begin, stride, size, k, c.data() + row * width, sum);
      add_all(w.data + begin, w.stride, size, b, c.data() + row * width + k, sum);
    }
    for (int row = 0; row < b; ++row)
      for (std::int64_t i = 0; i < size; ++i)
        to[row * to_stride + begin + i] = change_type<To>(sums[static_cast<std::size_t>(row * size + i)]);
  });
}

template <class T>
void combine(Queue& queue, KrylovBasis<T>& basis, int k, const Vectors<T>& w, const Wide<T>* y, bool subtract, int to) {
  const auto block = arith(w);
  basis.visit([&]<class S>(S* v) {
    S* place = to >= 0 ? v + to * basis.stride() : nullptr;
    if (queue.device().on_host()) {
      if (place)
        combine_on_host(queue, v, basis.stride(), k, block, y, subtract, place, basis.stride());
      else
        combine_on_host(queue, v, basis.stride(), k, block, y, subtract, block.data, block.stride);
    } else if constexpr (build::cuda) {
      cuda::BlockKernels<Arith<T>, S>::combine(queue, v, basis.stride(), k, block, y, subtract, place);
    }
  });
}

}  // namespace

template <class T>
void block_sums(Queue& queue, const Comm& comm, const KrylovBasis<T>& basis, int k, Vectors<const T> w,
                Vectors<const T> z, Wide<T>* sums) {
  const auto block = arith(w), other = arith(z);
  basis.visit([&]<class S>(const S* v) {
    if (queue.device().on_host()) {
      sums_on_host(queue, comm, v, basis.stride(), k, block, other, sums);
    } else if constexpr (build::cuda) {
      cuda::BlockKernels<Arith<T>, S>::sums(queue, v, basis.stride(), k, basis.num(), block, other, sums);
      sum_on_gpu(queue, comm, sums, std::int64_t{k + w.num} * w.num);
    } else {
      throw Unsupported("block_sums: a CUDA device was asked for, but this build has no CUDA");
    }
  });
}

template <class T>
void block_combine(Queue& queue, KrylovBasis<T>& basis, int k, Vectors<T> w, const Wide<T>* y, int to) {
  combine(queue, basis, k, w, y, false, to);
}
template <class T>
void block_subtract(Queue& queue, KrylovBasis<T>& basis, int k, Vectors<T> w, const Wide<T>* sums) {
  combine(queue, basis, k, w, sums, true, -1);
}

template void block_sums(Queue&, const Comm&, const KrylovBasis<float>&, int, Vectors<const float>,
                         Vectors<const float>, double*);
template void block_sums(Queue&, const Comm&, const KrylovBasis<double>&, int, Vectors<const double>,
                         Vectors<const double>, double*);
template void block_sums(Queue&, const Comm&, const KrylovBasis<std::complex<float>>&, int,
                         Vectors<const std::complex<float>>, Vectors<const std::complex<float>>, Complex<double>*);
template void block_sums(Queue&, const Comm&, const KrylovBasis<std::complex<double>>&, int,
                         Vectors<const std::complex<double>>, Vectors<const std::complex<double>>, Complex<double>*);
template void block_combine(Queue&, KrylovBasis<float>&, int, Vectors<float>, const double*, int);
template void block_combine(Queue&, KrylovBasis<double>&, int, Vectors<double>, const double*, int);
template void block_combine(Queue&, KrylovBasis<std::complex<float>>&, int, Vectors<std::complex<float>>,
                            const Complex<double>*, int);
template void block_combine(Queue&, KrylovBasis<std::complex<double>>&, int, Vectors<std::complex<double>>,
                            const Complex<double>*, int);
template void block_subtract(Queue&, KrylovBasis<float>&, int, Vectors<float>, const double*);
template void block_subtract(Queue&, KrylovBasis<double>&, int, Vectors<double>, const double*);
template void block_subtract(Queue&, KrylovBasis<std::complex<float>>&, int, Vectors<std::complex<float>>,
                             const Complex<double>*);
template void block_subtract(Queue&, KrylovBasis<std::complex<double>>&, int, Vectors<std::complex<double>>,
                             const Complex<double>*);

}  // namespace millrace::detail
