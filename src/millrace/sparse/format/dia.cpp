// DIA from CSR: find the diagonals by a mark for every possible one, then place every entry.
#include "millrace/sparse/format/dia.hpp"

#include <atomic>
#include <numeric>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace {
namespace {

// The number of every diagonal that holds an entry, by row distance: diagonal c - r is at c - r + num_rows.
struct Diagonals {
  Array<Index> number;   // [num_rows + num_cols]
  Array<Index> offsets;  // [num_diags], ascending
};

template <class T>
Diagonals find_diagonals(const Csr<T>& a) {
  Diagonals found{Array<Index>(static_cast<std::int64_t>(a.num_rows) + a.num_cols, 0), {}};
  Index* number = found.number.data();
  const Index* cols = a.cols.data();
  parallel_for(default_num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto r = static_cast<Index>(begin); r < end; ++r)
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
        const std::atomic_ref<Index> mark(number[Offset{cols[k]} - r + a.num_rows]);
        if (mark.load(std::memory_order_relaxed) == 0) mark.store(1, std::memory_order_relaxed);
      }
  });
  found.offsets = Array<Index>(std::accumulate(number, number + found.number.size(), std::int64_t{0}));
  Index num_diags = 0;
  for (std::int64_t i = 0; i < found.number.size(); ++i)
    if (number[i] != 0) {
      found.offsets.data()[num_diags] = static_cast<Index>(i - a.num_rows);
      number[i] = num_diags++;
    }
  return found;
}

// How many positions of these diagonals lie inside the matrix.
Offset inside(Index num_rows, Index num_cols, std::span<const Index> offsets) {
  Offset count = 0;
  for (const Offset offset : offsets)
    count += std::min<Offset>(num_rows, num_cols - offset) - std::max<Offset>(0, -offset);
  return count;
}

// Places the entries and marks them in `real`. Threads take whole words of `real`, hence groups of tiles.
template <class T>
void place_entries(const Csr<T>& a, const Array<Index>& number, Dia<T>& b) {
  const Offset group = Offset{b.tile} * (64 / std::gcd(64, b.tile));  // rows
  b.visit_view([&](const auto& view) {
    const auto place = [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r)
        for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
          const Index c = a.cols.data()[k];
          const Offset s = view.slot_of(r, number.data()[Offset{c} - r + a.num_rows]);
          std::uint64_t& word = b.real.data()[s / 64];
          const std::uint64_t bit = std::uint64_t{1} << (s % 64);
          if ((word & bit) != 0) refuse_repeated("dia", r, c);
          word |= bit;
          b.vals.data()[s] = a.vals.data()[k];
        }
    };
    const Offset num_groups = (a.num_rows + group - 1) / group;
    const int threads = static_cast<int>(std::clamp<Offset>(a.num_entries() / 65536, 1, default_num_threads()));
    parallel(threads, [&](int thread, int count) {
      const auto [begin, end] = even_part(num_groups, thread, count);
      place(begin * group, std::min<Offset>(end * group, a.num_rows));
    });
  });
}

}  // namespace

template <class T>
Dia<T> Dia<T>::from_csr(const Csr<T>& a, const FormatSpec& spec) {
  check_parameters(spec, 1, {}, "dia takes the rows of a tile, as in dia-8");
  require(a.device().on_host(), "dia: the CSR matrix lives on ", to_string(a.device()), ", the conversion on the host");
  Dia b;
  if (!spec.parameters.empty()) {
    require(spec.parameters[0] >= 1 && spec.parameters[0] <= max_tile, "dia: C = ", spec.parameters[0], "; 1 to ",
            max_tile, " rows a tile are accepted");
    b.tile = static_cast<Index>(spec.parameters[0]);
  }
  Diagonals found = find_diagonals(a);
  const Offset num_diags = found.offsets.size();
  require_reasonable_diagonals(a, num_diags);
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.entries = a.num_entries();
  b.offsets = std::move(found.offsets);
  b.vals = Array<T>(a.num_rows * num_diags, T{0});
  b.real = Array<std::uint64_t>((b.vals.size() + 63) / 64, 0);
  place_entries(a, found.number, b);
  if (inside(a.num_rows, a.num_cols, b.offsets.span()) == b.entries) b.real = {};
  return b;
}

template <class T>
Dia<T> Dia<T>::to(Device target) const {
  Dia b;
  b.num_rows = num_rows;
  b.num_cols = num_cols;
  b.tile = tile;
  b.entries = entries;
  b.offsets = offsets.to(target);
  b.vals = vals.to(target);
  b.real = real.to(target);
  return b;
}

template <class T>
Footprint Dia<T>::footprint() const {
  return {entries, vals.size() - entries, offsets.bytes() + vals.bytes() + real.bytes(),
          offsets.bytes() + entries * static_cast<std::int64_t>(sizeof(T))};
}

template <class T>
std::string Dia<T>::details() const {
  const Offset possible = inside(num_rows, num_cols, offsets.to_vector());
  if (possible == 0) return "no diagonals";
  return join(num_diags(), num_diags() == 1 ? " diagonal, " : " diagonals, ", 100 * entries / possible, " % full");
}

template struct Dia<float>;
template struct Dia<double>;
template struct Dia<std::complex<float>>;
template struct Dia<std::complex<double>>;

}  // namespace millrace
