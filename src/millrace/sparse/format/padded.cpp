// The padded family from CSR: sort the rows, lay out slices or jagged columns, fill them through the view.
#include "millrace/sparse/format/padded.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/format/bsr.hpp"
#include "millrace/sparse/format/limits.hpp"
#include "millrace/sparse/format/storage_spec.hpp"
#include "millrace/sparse/order.hpp"

namespace millrace {
namespace {

constexpr Index max_slice = 1024;

Index power_of_two(const FormatSpec& spec, Index standard, Index least, Index most, const char* what) {
  const std::int64_t value = spec.parameters.empty() ? standard : spec.parameters[0];
  require(value >= least && value <= most && std::has_single_bit(static_cast<std::uint64_t>(value)), "format '",
          spec.text(), "': ", what, " is ", value, "; a power of two from ", least, " to ", most, " is accepted");
  return static_cast<Index>(value);
}

template <class T>
std::vector<Index> row_lengths(const Csr<T>& a, Index most) {
  std::vector<Index> lengths(static_cast<std::size_t>(a.num_rows));
  for (Index r = 0; r < a.num_rows; ++r) lengths[static_cast<std::size_t>(r)] = std::min(a.row_length(r), most);
  return lengths;
}

// The order of the rows: by falling length inside every window, equal lengths as they were (a counting sort).
std::vector<Index> sorted_rows(std::span<const Index> lengths, Index window) {
  std::vector<Index> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  if (window == 1) return order;
  const auto length = [&](Index r) { return lengths[static_cast<std::size_t>(r)]; };
  std::vector<Index> place;
  for (std::int64_t begin = 0; begin < std::ssize(lengths); begin += window) {
    const std::int64_t end = std::min<std::int64_t>(begin + window, std::ssize(lengths));
    const Index longest = *std::max_element(lengths.begin() + begin, lengths.begin() + end);
    if (longest > end - begin) {  // few rows, some of them huge
      std::stable_sort(order.begin() + begin, order.begin() + end,
                       [&](Index p, Index q) { return length(p) > length(q); });
      continue;
    }
    place.assign(static_cast<std::size_t>(longest) + 2, 0);
    const auto key = [&](std::int64_t r) { return static_cast<std::size_t>(longest - length(static_cast<Index>(r))); };
    for (std::int64_t r = begin; r < end; ++r) ++place[key(r) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (std::int64_t r = begin; r < end; ++r)
      order[static_cast<std::size_t>(begin + place[key(r)]++)] = static_cast<Index>(r);
  }
  return order;
}

// Where slices begin, from the lengths of the stored rows.
Array<Offset> slice_starts(std::span<const Index> lengths, std::int64_t slice) {
  const std::int64_t num_rows = std::ssize(lengths), num_slices = slice == 0 ? 0 : (num_rows + slice - 1) / slice;
  Array<Offset> starts(num_slices + 1, 0);
  for (std::int64_t s = 0; s < num_slices; ++s) {
    const auto rows = lengths.subspan(static_cast<std::size_t>(s * slice),
                                      static_cast<std::size_t>(std::min(slice, num_rows - s * slice)));
    starts.data()[s + 1] = starts.data()[s] + std::ssize(rows) * *std::max_element(rows.begin(), rows.end());
  }
  return starts;
}

// Where jagged columns begin: column k holds the blocks whose longest row, their first, has more than k entries.
Array<Offset> column_starts(std::span<const Index> lengths, std::int64_t block) {
  const std::int64_t num_rows = std::ssize(lengths);
  Array<Offset> starts(std::int64_t{num_rows == 0 ? 0 : lengths[0]} + 1, 0);
  std::int64_t rows = num_rows;
  for (std::int64_t k = 0; k + 1 < starts.size(); ++k) {
    while (rows > 0 && lengths[static_cast<std::size_t>((rows - 1) / block * block)] <= k)
      rows = (rows - 1) / block * block;
    starts.data()[k + 1] = starts.data()[k] + rows;
  }
  return starts;
}

// Calls f with the view of a matrix that has no values yet: code that asks only where slots are is compiled once, not
// for every way to store values, and below for views, not for every member of the family.
template <class Format, class F>
void visit_without_values(const Format& b, F&& f) {
  b.visit_view([&]<class View>(const View& view) {
    if constexpr (std::is_same_v<decltype(view.vals), const typename View::value_type*>) f(view);
  });
}

// Copies the entries of stored row r, row order[r] of the matrix, to their slots.
template <class View, class T>
void fill_slots(const View& view, const Csr<T>& a, std::span<const Index> order, std::span<const Index> lengths,
                std::span<const Index> column_place, Index* columns, T* values) {
  parallel_for(default_num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      Offset from = a.row_begin(order[static_cast<std::size_t>(r)]);
      for (Index k = 0; k < lengths[static_cast<std::size_t>(r)]; ++k, ++from) {
        const Offset s = view.slot(r, k);
        const Index c = a.cols.data()[from];
        columns[s] = column_place.empty() ? c : column_place[static_cast<std::size_t>(c)];
        values[s] = a.vals.data()[from];
      }
    }
  });
}

// What a kernel may know of a slice before it reads it: its shortest row, and, as ~ of it, that column k of row r is
// the group's base plus the place of the row, as in the slices of a stencil.
template <class View>
void describe_slices(const View& view, const Index* lengths, std::span<Index> shortest) {
  parallel_for(default_num_threads(), std::ssize(shortest), [&](std::int64_t begin, std::int64_t end) {
    for (auto slice = static_cast<Index>(begin); slice < end; ++slice) {
      const Index first = slice * view.stride, rows = view.stride_of(slice);
      const Index least = *std::min_element(lengths + first, lengths + first + rows);
      bool runs = view.cols.narrow && least > 0;
      for (Index r = first; runs && r < first + rows; ++r)
        for (Index k = 0; runs && k < lengths[r]; ++k) {
          const Offset s = view.slot(r, k);
          runs = view.cols.bases[s >> view.cols.log2_group] >= 0 && view.cols(s) == view.cols.in_run(s);
        }
      shortest[static_cast<std::size_t>(slice)] = runs ? ~least : least;
    }
  });
}

// Before values are stored.
template <class Format>
void describe_slices(Format& b) {
  b.shortest = Array<Index>(b.starts.size() - 1);
  visit_without_values(b, [&](const auto& view) {
    describe_slices(view, b.row_len.data(), b.shortest.span());
    for (Index slice = 0; slice < b.shortest.size(); ++slice) {
      const Index least = b.shortest.data()[slice];
      if (least < 0) b.run_slots += view.slice_ptr[slice + 1] - view.slice_ptr[slice];
      if ((least < 0 ? ~least : least) != view.width(slice)) b.ragged_rows += view.stride_of(slice);
    }
  });
}

}  // namespace

PaddedShape EllMember::shape(const FormatSpec& spec) {
  const Storage storage = storage_of(spec, 0, "ell takes no numbers");
  return {.row_lengths = false, .storage = storage};
}
PaddedShape EllrMember::shape(const FormatSpec& spec) {
  return {.storage = storage_of(spec, 0, "ellr takes no numbers")};
}
PaddedShape SellMember::shape(const FormatSpec& spec) {
  const Storage storage =
      storage_of(spec, 2, "sell takes C and sigma, as in sell-32-1024, and rcm (order rows and columns)", {"rcm"});
  return {.slice = power_of_two(spec, 32, 1, max_slice, "C"),
          .window = spec.parameters.size() < 2 ? 1 : static_cast<Index>(spec.parameters[1]),
          .storage = storage,
          .rcm = spec.has("rcm")};
}
PaddedShape RgcsrMember::shape(const FormatSpec& spec) {
  const Storage storage = storage_of(spec, 1, "rgcsr takes the rows of a group, as in rgcsr-128");
  return {.slice = power_of_two(spec, 128, 32, 256, "the group"), .storage = storage};
}
PaddedShape JdsMember::shape(const FormatSpec& spec) {
  const Storage storage = storage_of(spec, 0, "jds takes no numbers");
  return {.window = std::numeric_limits<Index>::max(), .block = 1, .storage = storage};
}
PaddedShape PjdsMember::shape(const FormatSpec& spec) {
  const Storage storage = storage_of(spec, 1, "pjds takes the rows of a block, as in pjds-32");
  return {.window = std::numeric_limits<Index>::max(),
          .block = power_of_two(spec, 32, 1, max_slice, "the block"),
          .storage = storage};
}

template <class T, class Member>
Padded<T, Member> Padded<T, Member>::build(const Csr<T>& a, const PaddedShape& shape, bool permuted_basis) {
  require(a.device().on_host(), name, ": the CSR matrix lives on ", to_string(a.device()),
          ", the conversion on the host");
  require(!permuted_basis || a.num_rows == a.num_cols, name, ": a permuted basis needs a square matrix; this one is ",
          a.num_rows, " x ", a.num_cols);
  const std::vector<Index> matrix_lengths = row_lengths(a, shape.most);
  const std::vector<Index> order = sorted_rows(matrix_lengths, shape.window);
  const bool moved = !std::is_sorted(order.begin(), order.end());
  std::vector<Index> place;  // of every column in the permuted basis
  if (permuted_basis && moved) {
    place.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }

  Padded b;
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.layout = shape;
  b.permuted_basis = permuted_basis;
  b.row_len = Array<Index>(a.num_rows);
  for (Index r = 0; r < a.num_rows; ++r)
    b.row_len.data()[r] = matrix_lengths[static_cast<std::size_t>(order[static_cast<std::size_t>(r)])];
  const std::span<const Index> lengths = b.row_len.span();
  b.entries = std::accumulate(lengths.begin(), lengths.end(), Offset{0});
  b.starts = Member::jagged ? column_starts(lengths, shape.block) : slice_starts(lengths, b.slice_rows());
  const Offset slots = b.starts.data()[b.starts.size() - 1];
  const Index longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  require_reasonable_padding(name, slots, b.starts.bytes() + b.row_len.bytes(), a, longest, b.entries);
  if (Member::jagged) {
    b.share = Array<Offset>((std::int64_t{a.num_rows} >> 6) + 2, b.entries);
    Offset before = 0;
    for (Index r = 0; r < a.num_rows; ++r) {
      if ((r & 63) == 0) b.share.data()[r >> 6] = before;
      before += lengths[static_cast<std::size_t>(r)];
    }
  }
  if (moved) b.row_of = Array<Index>(std::span<const Index>(order));
  Array<Index> columns(slots, -1);
  Array<T> values(slots, T{0});
  visit_without_values(b, [&](const auto& view) {
    if constexpr (!decltype(view.cols)::narrow)  // nor has it columns
      fill_slots(view, a, order, lengths, place, columns.data(), values.data());
  });
  const bool narrow = shape.narrows(a.num_rows, longest);
  if (shape.row_lengths && !narrow) std::replace(columns.data(), columns.data() + slots, Index{-1}, Index{0});
  b.cols = narrow ? Columns::compressed(std::move(columns), shape.log2_group()) : Columns(std::move(columns));
  if constexpr (!Member::jagged) describe_slices(b);
  b.vals = Values<T>(std::move(values), shape.storage);
  if (!shape.row_lengths) b.row_len = {};
  return b;
}

template <class T, class Member>
Padded<T, Member> Padded<T, Member>::build_ordered(const Csr<T>& a, const PaddedShape& shape) {
  require_distinct(name, a);
  const std::vector<Index> order = make_ordering(a, Ordering::rcm);
  Padded b = build(permute(a, order, order), shape, false);
  Array<Index> row_of(a.num_rows);
  b.y_place = Array<Index>(a.num_rows);
  for (Index r = 0; r < a.num_rows; ++r) {
    const Index row = order[static_cast<std::size_t>(b.row_of.empty() ? r : b.row_of.data()[r])];
    row_of.data()[r] = row;
    b.y_place.data()[row] = r;
  }
  b.row_of = std::move(row_of);
  b.x_order = Array<Index>(std::span<const Index>(order));
  return b;
}

template <class T, class Member>
Padded<T, Member> Padded<T, Member>::to(Device target) const {
  Padded b;
  b.num_rows = num_rows;
  b.num_cols = num_cols;
  b.layout = layout;
  b.entries = entries;
  b.permuted_basis = permuted_basis;
  b.starts = starts.to(target);
  b.shortest = shortest.to(target);
  b.run_slots = run_slots;
  b.ragged_rows = ragged_rows;
  b.share = share.to(target);
  b.row_len = row_len.to(target);
  b.cols = cols.to(target);
  b.vals = vals.to(target);
  b.row_of = row_of.to(target);
  b.x_order = x_order.to(target);
  b.y_place = y_place.to(target);
  return b;
}

template <class T, class Member>
Footprint Padded<T, Member>::footprint() const {
  const Offset slots = vals.size();
  const std::int64_t held = starts.bytes() + shortest.bytes();
  const std::int64_t lengths =
      Member::jagged || row_len.empty() ? row_len.bytes() : ragged_rows * std::int64_t{sizeof(Index)};
  const double real = slots == 0 ? 0 : static_cast<double>(entries) / static_cast<double>(slots);
  const double columns = real * static_cast<double>(cols.bytes() - run_slots * cols.width());
  // With an order of its own: the orders, and x and y in it, written and read.
  const std::int64_t orders =
      x_order.bytes() + y_place.bytes() + 2 * (x_order.size() + y_place.size()) * static_cast<std::int64_t>(sizeof(T));
  return {entries, slots - entries,
          held + row_len.bytes() + share.bytes() + row_of.bytes() + x_order.bytes() + y_place.bytes() + cols.bytes() +
              vals.bytes(),
          held + lengths + entries * vals.width() + static_cast<std::int64_t>(columns + 0.5) +
              (x_order.empty() ? permuted_basis ? 0 : row_of.bytes() : orders)};  // x in its order: written and read
}

template <class T, class Member>
std::string Padded<T, Member>::details() const {
  std::string text;
  if (cols.width() < 4) text += join(cols.width(), "-byte columns");
  if (run_slots > 0)
    text += join(", ", std::round(100.0 * static_cast<double>(run_slots) / static_cast<double>(vals.size())),
                 " % of them runs that are not read");
  if (vals.has_dictionary())
    text += join(text.empty() ? "" : ", ", "a dictionary of ", vals.num_different(), " values");
  if (layout.rcm) text += join(text.empty() ? "" : ", ", "in reverse Cuthill-McKee order");
  if (vals.is_narrow())
    text += join(text.empty() ? "" : ", ", vals.is_rounded() ? "values rounded to floats" : "values as floats");
  return text;
}

#define MILLRACE_INSTANTIATE(T)           \
  template struct Padded<T, EllMember>;   \
  template struct Padded<T, EllrMember>;  \
  template struct Padded<T, SellMember>;  \
  template struct Padded<T, RgcsrMember>; \
  template struct Padded<T, JdsMember>;   \
  template struct Padded<T, PjdsMember>
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
