// The padded family: what the texts of its members ask for, and what it holds.
#include "millrace/sparse/format/padded.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/sparse/format/storage_spec.hpp"

namespace millrace {
namespace {

constexpr Index max_slice = 1024;

Index power_of_two(const FormatSpec& spec, Index standard, Index min_value, Index max_value, const char* what) {
  const std::int64_t value = spec.parameters.empty() ? standard : spec.parameters[0];
  require(value >= min_value && value <= max_value && std::has_single_bit(static_cast<std::uint64_t>(value)),
          "format '", spec.text(), "': ", what, " is ", value, "; a power of two from ", min_value, " to ", max_value,
          " is accepted");
  return static_cast<Index>(value);
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

template <class T>
Footprint PaddedArrays<T>::footprint() const {
  const Offset slots = vals.size();
  const std::int64_t held = starts.bytes() + shortest.bytes();
  const std::int64_t lengths =
      layout.block || row_len.empty() ? row_len.bytes() : ragged_rows * std::int64_t{sizeof(Index)};
  const double real = slots == 0 ? 0 : static_cast<double>(entries) / static_cast<double>(slots);
  const double columns = real * static_cast<double>(cols.bytes() - run_slots * cols.width());
  // With an order of its own: the orders, and x and y in it, written and read.
  const std::int64_t orders =
      x_order.bytes() + y_place.bytes() + 2 * (x_order.size() + y_place.size()) * static_cast<std::int64_t>(sizeof(T));
  return {entries, slots - entries,
          held + row_len.bytes() + share.bytes() + row_of.bytes() + x_order.bytes() + y_place.bytes() + cols.bytes() +
              vals.bytes(),
          held + lengths + entries * vals.width() + static_cast<std::int64_t>(columns + 0.5) +
              (x_order.empty() ? vectors_reordered ? 0 : row_of.bytes() : orders)};  // x in its order: written and read
}

template <class T>
std::string PaddedArrays<T>::details() const {
  std::string text;
  if (cols.width() < 4) text += join(cols.width(), "-byte columns");
  if (run_slots > 0)
    text += join(", ", std::round(100.0 * static_cast<double>(run_slots) / static_cast<double>(vals.size())),
                 " % of them runs that are not read");
  if (vals.has_dictionary()) text += join(text.empty() ? "" : ", ", "a dictionary of ", vals.num_distinct(), " values");
  if (layout.rcm) text += join(text.empty() ? "" : ", ", "in reverse Cuthill-McKee order");
  if (vals.is_narrow())
    text += join(text.empty() ? "" : ", ", vals.is_rounded() ? "values rounded to floats" : "values as floats");
  return text;
}

template struct PaddedArrays<float>;
template struct PaddedArrays<double>;
template struct PaddedArrays<std::complex<float>>;
template struct PaddedArrays<std::complex<double>>;

}  // namespace millrace
