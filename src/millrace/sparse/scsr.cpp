// Sorted tiles from CSR: every tile is sorted by column, equal columns as they were, and remembers the places.
#include "millrace/sparse/scsr.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/parallel.hpp"

namespace millrace {

ScsrShape ScsrShape::of(const FormatSpec& spec, Offset num_entries) {
  check_parameters(spec, 2, {}, "scsr takes the entries of a tile and the threads of a block, as in scsr-8192-512");
  ScsrShape shape;
  shape.tile = num_entries < 4'000'000 ? 2048 : 8192;
  if (!spec.parameters.empty()) {
    const std::int64_t asked = spec.parameters[0];
    require(asked >= least && asked <= most && asked % 32 == 0, "scsr: T = ", asked, "; multiples of 32 from ", least,
            " to ", most, " entries a tile are accepted");
    shape.tile = static_cast<Index>(asked);
  }
  shape.threads = shape.tile < 4096 ? 256 : 512;
  if (spec.parameters.size() == 2) {
    const std::int64_t asked = spec.parameters[1];
    require(asked == 256 || asked == 512 || asked == 1024, "scsr: N = ", asked,
            "; 256, 512 or 1024 threads a block are accepted");
    shape.threads = static_cast<int>(asked);
  }
  return shape;
}

namespace {

template <class T>
Array<CsrTile> find_tiles(const Csr<T>& a, const CsrTiling& tiling) {
  const Offset count = tiling.num_tiles(a.num_rows, a.num_entries());
  Array<CsrTile> tiles(count + 1);
  std::visit(
      [&](const auto& offsets) {
        for (Offset t = 0; t <= count; ++t) tiles.data()[t] = tiling.tile(offsets.data(), a.num_rows, count, t);
      },
      a.row_ptr);
  return tiles;
}

/// Columns above, places below: distinct numbers, so that any sort is a stable one of the columns.
void sort_tile(const Index* cols, Offset count, std::vector<std::uint64_t>& keys) {
  keys.resize(static_cast<std::size_t>(count));
  for (Offset i = 0; i < count; ++i)
    keys[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(cols[i]) << 16 | static_cast<std::uint64_t>(i);
  std::sort(keys.begin(), keys.end());
}

}  // namespace

template <class T>
Scsr<T> Scsr<T>::from_csr(const Csr<T>& a, const FormatSpec& spec) {
  Scsr b;
  b.layout = ScsrShape::of(spec, a.num_entries());
  require(a.device().on_host(), "scsr: the CSR matrix lives on ", to_string(a.device()),
          ", the conversion on the host");
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.tiles = find_tiles(a, b.layout.tiling());
  b.cuts_rows =
      std::any_of(b.tiles.data(), b.tiles.data() + b.num_tiles(), [](const CsrTile& t) { return t.cut != 0; });
  std::visit([&](const auto& offsets) { b.row_ptr = offsets.clone(); }, a.row_ptr);
  b.slots = Array<std::uint16_t>(a.num_entries());
  b.vals = Array<T>(a.num_entries());
  Array<Index> cols(a.num_entries());
  parallel_for(default_num_threads(), b.num_tiles(), [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> keys;
    for (Offset t = first; t < last; ++t) {
      const Offset begin = b.tiles.data()[t].begin, count = b.tiles.data()[t + 1].begin - begin;
      sort_tile(a.cols.data() + begin, count, keys);
      for (Offset i = 0; i < count; ++i) {
        const std::uint64_t key = keys[static_cast<std::size_t>(i)];
        const auto slot = static_cast<std::uint16_t>(key & 0xffff);
        b.slots.data()[begin + i] = slot;
        cols.data()[begin + i] = static_cast<Index>(key >> 16);
        b.vals.data()[begin + i] = a.vals.data()[begin + slot];
      }
    }
  });
  b.cols = Columns::compressed(std::move(cols), ScsrShape::log2_group, 2);
  return b;
}

template <class T>
Scsr<T> Scsr<T>::to(Device target) const {
  Scsr b;
  b.num_rows = num_rows;
  b.num_cols = num_cols;
  b.layout = layout;
  b.cuts_rows = cuts_rows;
  b.tiles = tiles.to(target);
  std::visit([&](const auto& offsets) { b.row_ptr = offsets.to(target); }, row_ptr);
  b.slots = slots.to(target);
  b.cols = cols.to(target);
  b.vals = vals.to(target);
  return b;
}

template <class T>
Footprint Scsr<T>::footprint() const {
  const std::int64_t row_bytes = std::visit([](const auto& offsets) { return offsets.bytes(); }, row_ptr);
  const std::int64_t bytes = tiles.bytes() + row_bytes + slots.bytes() + cols.bytes() + vals.bytes();
  return {num_entries(), 0, bytes, bytes};
}

template <class T>
std::string Scsr<T>::details() const {
  return join(num_tiles(), num_tiles() == 1 ? " tile of " : " tiles of ", layout.tile, " entries, ", cols.width(),
              "-byte columns");
}

template struct Scsr<float>;
template struct Scsr<double>;
template struct Scsr<std::complex<float>>;
template struct Scsr<std::complex<double>>;

}  // namespace millrace
