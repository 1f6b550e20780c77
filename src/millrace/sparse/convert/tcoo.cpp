// TCOO from CSR, on host threads only: a counting sort by tile keeps the rows in order, then every tile parts its
// groups of eight.
#include <numeric>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/format/balance.hpp"
#include "millrace/sparse/format/limits.hpp"
#include "millrace/sparse/format/tcoo.hpp"

namespace millrace {
namespace {

// The first row that `wanted` rows and entries lie before.
template <class T>
Index row_at(const Csr<T>& a, Offset wanted) {
  return host::row_at(a.num_rows, wanted, [&](Index r) { return a.row_begin(r); });
}

template <class T>
Array<Index> equal_shares(const Csr<T>& a) {
  const Offset work = a.num_entries() + a.num_rows;
  const auto num_cuts = std::clamp<Offset>(work / 1024, 1, 4096);
  Array<Index> cuts(num_cuts + 1);
  for (Offset i = 0; i < num_cuts; ++i) cuts.data()[i] = row_at(a, work * i / num_cuts);
  cuts.data()[num_cuts] = a.num_rows;
  return cuts;
}

// All entries by tile, then by row, then as they were: row and place in the CSR matrix.
struct Sorted {
  Array<Offset> tile_ptr;  // [num_tiles + 1]
  Array<Index> rows;       // [num_entries]
  Array<Offset> source;    // [num_entries]
};

// Every thread counts and places its own rows, after those of the threads before it.
template <class T>
Sorted sort_by_tile(int num_threads, const Csr<T>& a, Index tile_columns, Offset num_tiles) {
  Sorted sorted{Array<Offset>(num_tiles + 1), Array<Index>(a.num_entries()), Array<Offset>(a.num_entries())};
  const int threads =
      static_cast<int>(std::clamp<Offset>(a.num_entries() / std::max<Offset>(65536, num_tiles), 1, num_threads));
  std::vector<std::vector<Offset>> next(static_cast<std::size_t>(threads));  // [threads, num_tiles]
  const auto for_own_entries = [&](int thread, auto&& f) {
    const Offset work = a.num_entries() + a.num_rows;
    const Index end = thread + 1 == threads ? a.num_rows : row_at(a, work * (thread + 1) / threads);
    std::vector<Offset>& mine = next[static_cast<std::size_t>(thread)];
    for (Index r = thread == 0 ? 0 : row_at(a, work * thread / threads); r < end; ++r)
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
        f(r, k, mine[static_cast<std::size_t>(a.cols.data()[k] / tile_columns)]);
  };
  parallel(threads, [&](int thread, int) {
    next[static_cast<std::size_t>(thread)].assign(static_cast<std::size_t>(num_tiles), 0);
    for_own_entries(thread, [](Index, Offset, Offset& count) { ++count; });
  });
  Offset sum = 0;
  for (Offset t = 0; t < num_tiles; ++t) {
    sorted.tile_ptr.data()[t] = sum;
    for (std::vector<Offset>& of_thread : next) {
      const Offset count = std::exchange(of_thread[static_cast<std::size_t>(t)], sum);
      sum += count;
    }
  }
  sorted.tile_ptr.data()[num_tiles] = sum;
  parallel(threads, [&](int thread, int) {
    for_own_entries(thread, [&](Index r, Offset k, Offset& place) {
      sorted.rows.data()[place] = r;
      sorted.source.data()[place++] = k;
    });
  });
  return sorted;
}

// Calls f(first entry, groups, entries) for every row that has entries in the tile.
template <class F>
void for_each_row(const Sorted& sorted, Offset tile, F&& f) {
  const Index* rows = sorted.rows.data();
  const Offset end = sorted.tile_ptr.data()[tile + 1];
  for (Offset s = sorted.tile_ptr.data()[tile]; s < end;) {
    Offset next = s + 1;
    while (next < end && rows[next] == rows[s]) ++next;
    f(s, (next - s) / TcooView<double>::group, next - s);
    s = next;
  }
}

// Tiles are dealt out by their entries.
template <class F>
void for_each_tile(int num_threads, const Sorted& sorted, F&& f) {
  const Offset num_tiles = sorted.tile_ptr.size() - 1, num_entries = sorted.rows.size();
  const Offset* begin = sorted.tile_ptr.data();
  parallel(threads_for(num_threads, num_entries, {.bytes = 8}), [&](int thread, int count) {
    const auto tile_at = [&](int t) {
      return t == count ? num_tiles : std::lower_bound(begin, begin + num_tiles, num_entries * t / count) - begin;
    };
    for (Offset tile = tile_at(thread); tile < tile_at(thread + 1); ++tile) f(tile);
  });
}

// How many entries and groups every part has, as offsets.
template <class T>
void count_parts(int num_threads, const Sorted& sorted, Tcoo<T>& b) {
  const Offset num_tiles = sorted.tile_ptr.size() - 1;
  b.part_ptr = Array<Offset>(2 * num_tiles + 1, 0);
  b.group_ptr = Array<Offset>(2 * num_tiles + 1, 0);
  Offset *entries = b.part_ptr.data() + 1, *groups = b.group_ptr.data() + 1;
  for_each_tile(num_threads, sorted, [&](Offset tile) {
    for_each_row(sorted, tile, [&](Offset, Offset whole, Offset) { groups[2 * tile] += whole; });
    entries[2 * tile] = groups[2 * tile] * TcooView<T>::group;
    entries[2 * tile + 1] = sorted.tile_ptr.data()[tile + 1] - sorted.tile_ptr.data()[tile] - entries[2 * tile];
    groups[2 * tile + 1] = entries[2 * tile + 1];
  });
  std::partial_sum(entries, entries + 2 * num_tiles, entries);
  std::partial_sum(groups, groups + 2 * num_tiles, groups);
}

template <class T>
void fill_parts(int num_threads, const Csr<T>& a, const Sorted& sorted, Tcoo<T>& b) {
  for_each_tile(num_threads, sorted, [&](Offset tile) {
    Offset to[2] = {b.part_ptr.data()[2 * tile], b.part_ptr.data()[2 * tile + 1]};
    Offset row_to[2] = {b.group_ptr.data()[2 * tile], b.group_ptr.data()[2 * tile + 1]};
    for_each_row(sorted, tile, [&](Offset first, Offset whole, Offset count) {
      const Index row = sorted.rows.data()[first];
      for (Offset i = 0; i < count; ++i) {
        const int part = i < whole * TcooView<T>::group ? 0 : 1;
        if (part == 1 || i % TcooView<T>::group == 0) b.rows.data()[row_to[part]++] = row;
        const Offset k = sorted.source.data()[first + i], s = to[part]++;
        b.source.data()[s] = k;
        b.cols.data()[s] = static_cast<std::uint16_t>(a.cols.data()[k] - tile * b.tile_columns);
        b.vals.data()[s] = a.vals.data()[k];
      }
    });
  });
}

}  // namespace

template <class T>
Tcoo<T> Tcoo<T>::from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  require<Unsupported>(a.device().on_host() && queue.device().on_host(), "tcoo: the CSR matrix lives on ",
                       to_string(a.device()), ", the queue on ", to_string(queue.device()),
                       ", this format is for a CPU; copy the matrix with to(Device::host())");
  if (!trusted.arrays) check_csr(queue, a);
  const int num_threads = queue.num_threads();
  Tcoo b;
  b.tile_columns = asked_tile_columns(spec);
  const Offset num_tiles = (Offset{a.num_cols} + b.tile_columns - 1) / b.tile_columns;
  const double table_bytes = 4.0 * static_cast<double>(num_tiles) * static_cast<double>(sizeof(Offset));
  if (table_bytes > 1e6)  // smaller ones are no harm, even beside a tiny matrix
    require_reasonable("tcoo", table_bytes + static_cast<double>(a.num_entries()) * (14.0 + sizeof(T)), a,
                       join(num_tiles, " tiles of ", b.tile_columns, " columns"));
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.cuts = equal_shares(a);
  const Sorted sorted = sort_by_tile(num_threads, a, b.tile_columns, num_tiles);
  count_parts(num_threads, sorted, b);
  b.rows = Array<Index>(b.group_ptr.data()[2 * num_tiles]);
  b.cols = Array<std::uint16_t>(a.num_entries());
  b.vals = Array<T>(a.num_entries());
  b.source = Array<Offset>(a.num_entries());
  fill_parts(num_threads, a, sorted, b);
  return b;
}

#define MILLRACE_INSTANTIATE(T) template Tcoo<T> Tcoo<T>::from_csr(Queue&, const Csr<T>&, const FormatSpec&, Trust)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
