// Coarse matrices by the places of their products on a GPU.
#include <optional>

#include "millrace/precond/multigrid/find_places.cuh"
#include "millrace/precond/multigrid/matrix_view.hpp"
#include "millrace/precond/multigrid/placed_sums.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// The lengths that a step writes, one for each of n, as starts: [n + 1]. Returns the total.
template <class Step>
Offset make_starts(Queue& queue, Offset n, Array<Offset>& starts, Step step) {
  DeviceSteps steps(queue);
  starts = Array<Offset>(queue, n + 1);
  Offset* const start = starts.data();
  steps.set(start, Offset{0});
  step.lengths = start + 1;
  steps.for_each(n, step);
  steps.scan(start + 1, n);
  return steps.read(start + n);
}

template <Index Room>
void find_product_places(Queue& queue, const convert::Rows& a, const RowPattern& p, const ProductPlaces& to,
                         std::uint32_t* words, const ProductFours& product) {
  constexpr int threads = 64;
  find_product_places<Room, threads><<<num_blocks(a.num_rows, threads), threads, 0, queue.stream()>>>(
      a, p.view(), to.slice_begin.data(), words, product);
  check_launch("find_product_places", queue.stream());
}

template <Index Room>
void find_coarse_places(Queue& queue, const RowPattern& transposed, const int4* product, const convert::Rows& coarse,
                        const ProductPlaces& to, std::uint32_t* words) {
  constexpr int threads = 64, size = 8;
  cuda::find_coarse_places<size, Room, threads>
      <<<num_blocks(coarse.num_rows, threads / size), threads, 0, queue.stream()>>>(
          transposed.view(), product, to.room / 4, coarse, to.fours.data(), to.coarse_begin.data(), words);
  check_launch("find_coarse_places", queue.stream());
}

/// Places of A P with as much room as `to` says, and its columns; false: a row has more.
bool find_products(Queue& queue, const convert::Rows& a, const RowPattern& p, ProductPlaces& to,
                   const ProductFours& product) {
  DeviceSteps steps(queue);
  const bool is_short = to.room == short_sums;
  const int per_word = 32 / (is_short ? place_bits<short_sums> : place_bits<long_sums>);
  const auto nums = queue.scratch<Index>(a.num_rows);
  steps.for_each(a.num_rows, CountProducts{a, p.view(), nums.data()});
  to.words = Array<std::uint32_t>(queue, make_starts(queue, num_blocks(a.num_rows, places_slice), to.slice_begin,
                                                     CountWords{nums.data(), a.num_rows, per_word, nullptr}));
  steps.set(product.too_long, 0u);
  if (is_short)
    find_product_places<short_sums>(queue, a, p, to, to.words.data(), product);
  else
    find_product_places<long_sums>(queue, a, p, to, to.words.data(), product);
  return steps.read(product.too_long) == 0;
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
ProductPlaces find_places(Queue& queue, const Csr<T>& fine, const RowPattern& p, const RowPattern& transposed,
                          const Csr<T>& made) {
  DeviceSteps steps(queue);
  const convert::Rows a = convert::rows_of(fine), coarse = convert::rows_of(made);
  ProductPlaces to;
  const Index longest = longest_row(queue, made);
  if (longest > long_coarse) return {};
  to.coarse_room = longest <= short_coarse ? short_coarse : long_coarse;

  const auto lengths = queue.scratch<std::uint8_t>(a.num_rows);
  const auto too_long = queue.scratch<unsigned>(1);
  std::optional<Scratch<int4>> cols;
  const auto fits = [&](Index room) {
    to.room = room;
    cols.reset();
    cols.emplace(queue.scratch<int4>(Offset{a.num_rows} * (room / 4)));
    return find_products(queue, a, p, to, {cols->data(), lengths.data(), too_long.data()});
  };
  if ((has_long_rows(fine) || !fits(short_sums)) && !fits(long_sums)) return {};

  to.fours = Array<std::uint8_t>(queue, p.num_entries());
  steps.for_each(p.num_entries(), CountFours{transposed.view(), lengths.data(), to.fours.data()});
  to.coarse_words =
      Array<std::uint32_t>(queue, make_starts(queue, coarse.num_rows, to.coarse_begin,
                                              CountCoarseWords{transposed.view(), to.fours.data(), nullptr}));
  if (to.coarse_room == short_coarse)
    find_coarse_places<short_coarse>(queue, transposed, cols->data(), coarse, to, to.coarse_words.data());
  else
    find_coarse_places<long_coarse>(queue, transposed, cols->data(), coarse, to, to.coarse_words.data());
  return to;
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
  template ProductPlaces find_places(Queue&, const Csr<T>&, const RowPattern&, const RowPattern&, const Csr<T>&);     \
  template void add_coarse(Queue&, const Csr<T>&, const Prolongator<T>&, const PatternView<T>&, const ProductPlaces&, \
                           Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
