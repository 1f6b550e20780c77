// Incomplete factorisation on a GPU for block = 1: one warp per row, which waits for the rows it needs by their flags.
// Rows are taken by tickets in the order of the levels, so there is no deadlock.
#include <limits>

#include "millrace/base/scalar.hpp"
#include "millrace/base/search.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/precond/incomplete_cuda.hpp"
#include "millrace/precond/ready_cuda.cuh"
#include "millrace/precond/triangles_cuda.cuh"

namespace millrace::cuda {
namespace {

constexpr int factorise_threads = 256;

/// What a factorisation tells the host.
struct Verdict {
  Index bad_row;
  Index num_replaced;
};

// Mapping  one thread per entry of the matrix.
// Traffic  entries and their places once, values by single writes.
// Result   repeatable: places differ.
template <class A>
__global__ void __launch_bounds__(factorise_threads)
    scatter_entries(Offset count, const Offset* __restrict__ places, const A* __restrict__ from,
                    A* __restrict__ values) {
  const std::int64_t s = blockIdx.x * std::int64_t{factorise_threads} + threadIdx.x;
  if (s < count && places[s] >= 0) values[places[s]] = from[s];
}

// Mapping  one thread per entry of the upper triangle.
// Traffic  it and its partner once.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(factorise_threads) mirror_lower(FactorView v, A* values) {
  const std::int64_t e = blockIdx.x * std::int64_t{factorise_threads} + threadIdx.x;
  if (e < v.num_upper) values[v.num_lower + e] = conjugate(values[v.mirror[e]]);
}

/// The slot of (i, j) in row i, or -1.
__device__ inline Offset find_slot(const FactorView& v, Index i, Index j) {
  if (j == i) return v.diagonal_slot(i);
  const bool below = j < i;
  const Index* cols = below ? v.lower_cols : v.upper_cols;
  const FactorView::Entry begin = below ? v.lower_ptr[i] : v.upper_ptr[i],
                          end = below ? v.lower_ptr[i + 1] : v.upper_ptr[i + 1];
  const FactorView::Entry found = first_at_least(cols, begin, end, j);
  if (found == end || cols[found] != j) return -1;
  return below ? Offset{found} : v.upper_slot(found);
}

__device__ inline void wait_for(const unsigned* flag) {
  unsigned bits = 0;
  while (true) {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(flag) : "memory");
    if (bits != 0) return;
    __nanosleep(64);
  }
}

/// The largest entry of a row of the matrix; all lanes have it.
template <class A>
__device__ RealOf<A> max_of_row(const FactorView& v, Index i, const A* values, int lane) {
  RealOf<A> largest = size_of(values[v.diagonal_slot(i)]);
  const auto look = [&](A value) {
    const auto size = size_of(value);
    if (size > largest) largest = size;
  };
  for (auto e = std::int64_t{v.lower_ptr[i]} + lane; e < v.lower_ptr[i + 1]; e += 32) look(values[e]);
  for (auto e = std::int64_t{v.upper_ptr[i]} + lane; e < v.upper_ptr[i + 1]; e += 32) look(values[v.num_lower + e]);
  for (int offset = 16; offset > 0; offset /= 2) {
    const auto other = shuffle_xor(largest, offset);
    if (other > largest) largest = other;
  }
  return largest;
}

/// The inverse of a pivot by the rule, as factor::eliminate_row; lane 0 tells what was done.
template <class A>
__device__ A invert_pivot(A pivot, RealOf<A> largest, const factor::PivotRule& rule, Index row, int lane,
                          Verdict* verdict) {
  using R = RealOf<A>;
  if (largest == 0) largest = 1;
  const R min = static_cast<R>(rule.zero) * largest;
  bool bad = false;
  if (rule.positive) {
    pivot = from_real<A>(real_part(pivot));
    bad = !(real_part(pivot) > min);
  }
  const bool tiny = !rule.positive && size_of(pivot) <= min;
  const R sign = real_part(pivot) < 0 ? R{-1} : R{1};
  if (tiny) pivot = from_real<A>(sign * static_cast<R>(rule.replacement) * largest);
  const A inverse = reciprocal(pivot);
  bad = bad || !is_finite(inverse);
  if (lane == 0 && bad) atomicMin(&verdict->bad_row, row);
  if (lane == 0 && tiny) atomicAdd(&verdict->num_replaced, 1);
  return bad ? one<A>() : inverse;
}

// Mapping  a warp takes a row by a ticket; for every entry left of the diagonal the lanes walk along that entry's row.
// Traffic  every row's upper part once for each row below that has it, mostly from the cache.
// Result   repeatable: what is subtracted from an entry comes in the order of the columns.
template <class A>
__global__ void __launch_bounds__(factorise_threads)
    eliminate_rows(FactorView v, factor::PivotRule rule, A* values, unsigned* flags, unsigned* counter,
                   Verdict* verdict) {
  const int lane = threadIdx.x % 32;
  const unsigned takers = gridDim.x * (factorise_threads / 32), count = static_cast<unsigned>(v.num_rows);
  while (true) {
    const unsigned ticket = shuffle(lane == 0 ? take_ticket(counter, count, takers) : 0u, 0);
    if (ticket >= count) return;
    const auto i = static_cast<Index>(ticket);
    const auto largest = max_of_row(v, i, values, lane);
    A* pivot = values + v.diagonal_slot(i);
    if (rule.shift != 0 && lane == 0) {
      const auto size = size_of(*pivot) > 0 ? size_of(*pivot) : largest;
      *pivot += from_real<A>(static_cast<RealOf<A>>(rule.shift) * size);
    }
    for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e) {
      const Index k = v.lower_cols[e];
      wait_for(flags + k);
      __syncwarp();  // what the last round subtracted is there
      const A l = values[e] * values[v.diagonal_slot(k)];
      __syncwarp();
      if (lane == 0) values[e] = l;
      for (auto u = std::int64_t{v.upper_ptr[k]} + lane; u < v.upper_ptr[k + 1]; u += 32) {
        const Offset to = find_slot(v, i, v.upper_cols[u]);
        if (to >= 0) values[to] = multiply_subtract(l, values[v.num_lower + u], values[to]);
      }
    }
    __syncwarp();
    const A inverse = invert_pivot(*pivot, largest, rule, v.order[i], lane, verdict);
    __syncwarp();
    if (lane == 0) *pivot = inverse;
    __threadfence();
    __syncwarp();
    if (lane == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags + i), "r"(1u) : "memory");
  }
}

// Mapping  one thread per row.
// Traffic  values once, what is stored of them once.
// Result   repeatable. U is divided by its pivot, or is the mirrored L. Flags are left zero.
template <class A, class S>
__global__ void __launch_bounds__(factorise_threads)
    store_factors(FactorView v, const A* __restrict__ values, S* __restrict__ stored, unsigned* flags,
                  Verdict* verdict) {
  const std::int64_t row = blockIdx.x * std::int64_t{factorise_threads} + threadIdx.x;
  if (row >= v.num_rows) return;
  const auto i = static_cast<Index>(row);
  flags[i] = 0;
  bool good = true;
  const auto store = [&](Offset slot, A value) {
    stored[slot] = change_type<S>(value);
    good = good && is_finite(change_type<A>(stored[slot]));
  };
  const A inverse = values[v.diagonal_slot(i)];
  store(v.diagonal_slot(i), inverse);
  for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e) store(e, values[e]);
  for (auto e = v.upper_ptr[i]; e < v.upper_ptr[i + 1]; ++e)
    store(v.upper_slot(e), v.mirror ? conjugate(values[v.mirror[e]]) : inverse * values[v.upper_slot(e)]);
  if (!good) atomicMin(&verdict->bad_row, v.order[i]);
}

}  // namespace

template <class T>
factor::Outcome factorise(Queue& queue, const FactorPattern& pattern, const Csr<T>& a, const factor::PivotRule& rule,
                          NarrowArray<T>& factors) {
  using A = Arith<T>;
  const FactorView v = pattern.view();
  if (v.num_rows == 0) return {};
  const DeviceGuard guard(queue.device());
  const cudaStream_t stream = queue.stream();
  constexpr Index none = std::numeric_limits<Index>::max();
  Array<Verdict> verdict = Array<Verdict>(1, Verdict{none, 0}).to(queue.device());
  Array<A> values(queue, pattern.num_values());
  check(cudaMemsetAsync(values.data(), 0, static_cast<std::size_t>(values.bytes()), stream), "cudaMemsetAsync");
  if (a.num_entries() > 0)
    scatter_entries<<<num_blocks(a.num_entries(), factorise_threads), factorise_threads, 0, stream>>>(
        a.num_entries(), pattern.places().data(), arith(a.vals.data()), values.data());
  check_launch("scatter_entries", stream);
  if (v.mirror && v.num_upper > 0)
    mirror_lower<<<num_blocks(v.num_upper, factorise_threads), factorise_threads, 0, stream>>>(v, values.data());
  check_launch("mirror_lower", stream);
  const auto zeros = queue.zeros(Offset{v.num_rows} + 1);
  const unsigned warps = warps_in_flight(v.num_rows, pattern.levels().num_levels(), 32, num_units(queue.device()));
  eliminate_rows<<<num_blocks(warps, factorise_threads / 32), factorise_threads, 0, stream>>>(
      v, rule, values.data(), zeros.data() + 1, zeros.data(), verdict.data());
  check_launch("eliminate_rows", stream);
  factors.visit([&]<class S>(S* stored) {
    store_factors<<<num_blocks(v.num_rows, factorise_threads), factorise_threads, 0, stream>>>(
        v, values.data(), stored, zeros.data() + 1, verdict.data());
  });
  check_launch("store_factors", stream);
  queue.wait();
  const Verdict found = verdict.to_vector()[0];
  return {found.num_replaced, found.bad_row == none ? -1 : found.bad_row};
}

#define MILLRACE_INSTANTIATE(T)                                                                             \
  template factor::Outcome factorise(Queue&, const FactorPattern&, const Csr<T>&, const factor::PivotRule&, \
                                     NarrowArray<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
