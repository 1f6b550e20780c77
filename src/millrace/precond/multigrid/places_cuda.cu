// Coarse matrices by the places of their products on a GPU.
#include "millrace/precond/multigrid/find_places.cuh"
#include "millrace/precond/multigrid/placed_sums.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

template <class Step>
void run(DeviceSteps& steps, Offset n, const Step& step) {
  steps.for_each(n, [=] __device__(Offset i) { step(i); });
}

void set_zero(DeviceSteps& steps, Offset* to) {
  steps.for_each(1, [=] __device__(Offset) { *to = 0; });
}

/// The lengths that a step writes, one for each of n, as starts: [n + 1]. Returns the total.
template <class Step>
Offset make_starts(Queue& queue, Offset n, Array<Offset>& starts, Step step) {
  DeviceSteps steps(queue);
  starts = Array<Offset>(queue, n + 1);
  Offset* const start = starts.data();
  set_zero(steps, start);
  step.lengths = start + 1;
  run(steps, n, step);
  steps.scan(start + 1, n);
  return steps.read(static_cast<const Offset*>(start) + n);
}

/// By sums of P's rows, a thread each.
template <Index Room, class T>
void add_products(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const ProductPlacesView& places,
                  Four<T>* sums) {
  constexpr int threads = 64;
  add_products<Room, threads><<<num_blocks(a.num_rows, threads), threads, 0, queue.stream()>>>(
      view_of(a), p.pattern.row_ptr.data(), p.values.data(), places, Offset{a.num_rows}, sums);
  check_launch("add_products", queue.stream());
}

/// By `Size` threads per row.
template <int Size, Index Room, class T>
void add_rows(Queue& queue, const PatternView<T>& restriction, const Four<T>* rows, Index fours_per_row,
              const ProductPlacesView& places, Csr<T>& coarse) {
  constexpr int threads = 64;
  const convert::Rows known = convert::rows_of(coarse);
  SumOutput<T> out{};
  out.narrow = known.narrow, out.wide = known.wide, out.vals = coarse.vals.data();
  add_rows<Size, Room, threads><<<num_blocks(coarse.num_rows, threads / Size), threads, 0, queue.stream()>>>(
      restriction, rows, fours_per_row, places, Offset{coarse.num_rows}, out);
  check_launch("add_rows", queue.stream());
}

}  // namespace

template <class T>
void find_places(Queue& queue, const Csr<T>& a, const RowPattern& p, const RowsView& transposed,
                 const ScatteredRows<T>& product, const Csr<T>& coarse, ProductPlaces& places) {
  DeviceSteps steps(queue);
  places.looked_for = true;
  ProductPlaces to{.looked_for = true};
  const Offset num_rows = a.num_rows, num_coarse = coarse.num_rows;
  const RowHead* const heads = product.heads;
  const Offset longest = steps.max(num_rows, [=] __device__(Offset r) { return Offset{heads[r].length}; });
  const Index longest_coarse = longest_row(queue, coarse);
  if (longest > long_sums || longest_coarse > long_coarse) return;
  to.coarse_room = longest_coarse <= short_coarse ? short_coarse : long_coarse;
  to.room = longest <= short_sums ? short_sums : long_sums;
  const int bits = to.room == short_sums ? place_bits<short_sums> : place_bits<long_sums>;
  const MatrixView<T> matrix = view_of(a);

  Array<Index> nums = steps.scratch<Index>(num_rows);
  run(steps, num_rows, CountProducts<MatrixView<T>>{matrix, p.view(), nums.data()});
  const Offset num_slices = num_blocks(num_rows, places_slice);
  to.words = Array<std::uint32_t>(
      queue, make_starts(queue, num_slices, to.slice_begin, CountWords{nums.data(), num_rows, 32 / bits, nullptr}));
  run(steps, num_rows,
      FindPlaces<MatrixView<T>, ScatteredRows<T>>{matrix, p.view(), product, to.slice_begin.data(), bits,
                                                  to.words.data()});

  to.fours = Array<std::uint8_t>(queue, p.num_entries());
  to.coarse_words = Array<std::uint32_t>(
      queue, make_starts(queue, num_coarse, to.coarse_begin,
                         CountFours<ScatteredRows<T>>{transposed, product, to.fours.data(), nullptr}));
  run(steps, num_coarse,
      FindCoarsePlaces<ScatteredRows<T>>{transposed, product, convert::rows_of(coarse), to.coarse_begin.data(),
                                         to.coarse_room, to.coarse_words.data()});
  places = std::move(to);
}

template <class T>
void add_coarse(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const PatternView<T>& restriction,
                const ProductPlaces& places, Csr<T>& coarse) {
  const DeviceGuard guard(queue.device());
  const Index fours_per_row = places.room / 4;
  const auto sums = queue.scratch<Four<T>>(Offset{a.num_rows} * fours_per_row);
  const ProductPlacesView view = places.view();
  if (places.room == short_sums)
    add_products<short_sums>(queue, a, p, view, sums.data());
  else
    add_products<long_sums>(queue, a, p, view, sums.data());
  if (places.coarse_room == short_coarse)
    add_rows<4, short_coarse>(queue, restriction, sums.data(), fours_per_row, view, coarse);
  else
    add_rows<8, long_coarse>(queue, restriction, sums.data(), fours_per_row, view, coarse);
}

#define MILLRACE_INSTANTIATE(T)                                                                                       \
  template void find_places(Queue&, const Csr<T>&, const RowPattern&, const RowsView&, const ScatteredRows<T>&,       \
                            const Csr<T>&, ProductPlaces&);                                                           \
  template void add_coarse(Queue&, const Csr<T>&, const Prolongator<T>&, const PatternView<T>&, const ProductPlaces&, \
                           Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
