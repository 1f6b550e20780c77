// CSR: taking arrays over, wrapping them, checks, other scalars.
#include "millrace/sparse/csr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/parallel.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/convert/host_steps.hpp"
#include "millrace/sparse/csr_schedule.hpp"

namespace millrace {
namespace {

template <class RowOffset>
void check_arrays(Index num_rows, Index num_cols, std::int64_t row_ptr, std::int64_t cols, std::int64_t vals) {
  require(num_rows >= 0 && num_cols >= 0, "csr: a size of ", num_rows, " x ", num_cols, " is not possible");
  require(row_ptr == static_cast<std::int64_t>(num_rows) + 1, "csr: ", num_rows, " rows need ",
          static_cast<std::int64_t>(num_rows) + 1, " row offsets; there are ", row_ptr);
  require(cols == vals, "csr: there are ", cols, " columns but ", vals, " values; they belong together");
  require(vals <= static_cast<std::int64_t>(std::numeric_limits<RowOffset>::max()), "csr: ", vals,
          " entries need 8-byte row offsets");
}

// Offsets that are far out stay out: check_csr finds them.
Array<std::int32_t> narrow(const Array<std::int64_t>& wide) {
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  Array<std::int32_t> result(wide.size());
  parallel_for(default_num_threads(), wide.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      result.data()[i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(wide.data()[i], -1, max));
  });
  return result;
}

template <class To, class From>
To converted(const From& value) {
  if constexpr (is_complex<From> || !is_complex<To>)
    return static_cast<To>(value);
  else
    return To(static_cast<RealOf<To>>(value));
}

// Numbers that are finite stay so.
template <class To, class From>
void require_in_range(const Csr<From>& a) {
  const From* from = a.vals.data();
  const Offset n = a.num_entries();
  const Offset bad = convert::HostSteps(default_num_threads()).first(n, [=](Offset i) {
    return is_finite(arith(from[i])) && !is_finite(arith(converted<To>(from[i])));
  });
  if (bad == n) return;
  const Offset row = convert::group_of(convert::rows_of(a), bad);
  const auto size = static_cast<double>(std::max(std::abs(std::real(from[bad])), std::abs(std::imag(from[bad]))));
  throw Error(join("convert: the entry in row ", row, ", column ", a.cols.data()[bad], " has the size ", size,
                   ", beyond the range of a float; up to ", static_cast<double>(std::numeric_limits<float>::max()),
                   " is accepted, or double"));
}

template <class U>
DeviceSpan<U> writable(DeviceSpan<const U> span) {  // wrapped arrays are never written
  return {span.device(), const_cast<U*>(span.data()), span.size()};
}

}  // namespace

std::optional<CsrSchedule> asked_schedule(const FormatSpec& spec) {
  if (spec.name != Csr<double>::name) return {};
  constexpr const char* usage =
      "csr takes no number, and one word at most: rows, tiles, split or cached, as in csr-split";
  check_parameters(spec, 0, {csr_schedule_names.begin(), csr_schedule_names.end()}, usage);
  require(spec.words.size() <= 1, "format '", spec.text(), "': ", usage);
  if (spec.words.empty()) return {};
  const auto* found = std::find(csr_schedule_names.begin(), csr_schedule_names.end(), spec.words[0]);
  return static_cast<CsrSchedule>(found - csr_schedule_names.begin());
}

template <class T>
Csr<T>::Csr(Index rows, Index columns, Array<std::int64_t> offsets, Array<Index> col, Array<T> val)
    : num_rows(rows), num_cols(columns), cols(std::move(col)), vals(std::move(val)) {
  check_arrays<std::int64_t>(rows, columns, offsets.size(), cols.size(), vals.size());
  if (vals.size() <= std::numeric_limits<std::int32_t>::max() && offsets.device().on_host())
    row_ptr = narrow(offsets);
  else
    row_ptr = std::move(offsets);
}

template <class T>
Csr<T>::Csr(Index rows, Index columns, Array<std::int32_t> offsets, Array<Index> col, Array<T> val)
    : num_rows(rows), num_cols(columns), cols(std::move(col)), vals(std::move(val)) {
  check_arrays<std::int32_t>(rows, columns, offsets.size(), cols.size(), vals.size());
  row_ptr = std::move(offsets);
}

template <class T>
template <class RowOffset>
Csr<T> Csr<T>::wrap(Index rows, Index columns, DeviceSpan<const RowOffset> offsets, DeviceSpan<const Index> col,
                    DeviceSpan<const T> val, Trust trusted) {
  check_arrays<RowOffset>(rows, columns, offsets.size(), col.size(), val.size());
  require(offsets.device() == col.device() && col.device() == val.device(),
          "csr: the three arrays must live on one device; they are on ", to_string(offsets.device()), ", ",
          to_string(col.device()), " and ", to_string(val.device()));
  Csr a;
  a.num_rows = rows;
  a.num_cols = columns;
  a.row_ptr = Array<RowOffset>::borrow(writable(offsets));
  a.cols = Array<Index>::borrow(writable(col));
  a.vals = Array<T>::borrow(writable(val));
  if (!trusted.arrays) check_csr(a);
  return a;
}

template <class T>
Csr<T> Csr<T>::from_csr(Queue& queue, const Csr& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  asked_schedule(spec);  // a word of SparseMatrix: the arrays are the same
  if (!trusted.arrays) check_csr(queue, a);
  return a.clone();
}

template <class T>
Csr<T> Csr<T>::from_csr(const Csr& a, const FormatSpec& spec) {
  Queue queue(a.device());
  return from_csr(queue, a, spec);
}

template <class T>
Csr<T> Csr<T>::to(Device target) const {
  Csr copy;
  copy.num_rows = num_rows;
  copy.num_cols = num_cols;
  copy.row_ptr = std::visit([&](const auto& offsets) { return RowOffsets(offsets.to(target)); }, row_ptr);
  copy.cols = cols.to(target);
  copy.vals = vals.to(target);
  return copy;
}

template <class T>
Footprint Csr<T>::footprint() const {
  const std::int64_t offsets = std::visit([](const auto& array) { return array.bytes(); }, row_ptr);
  const std::int64_t bytes = offsets + cols.bytes() + vals.bytes();
  return {num_entries(), 0, bytes, bytes};
}

template <class To, class From>
Csr<To> convert_values(const Csr<From>& a) {
  if constexpr (is_complex<From> && !is_complex<To>) {
    throw Unsupported("convert: complex values do not fit into a real matrix");
  } else {
    Csr<To> b;
    b.num_rows = a.num_rows;
    b.num_cols = a.num_cols;
    b.row_ptr = std::visit([](const auto& offsets) { return RowOffsets(offsets.clone()); }, a.row_ptr);
    b.cols = a.cols.clone();
    b.vals = Array<To>(a.num_entries());
    const From* from = a.vals.span().data();
    if constexpr (sizeof(RealOf<To>) < sizeof(RealOf<From>)) require_in_range<To>(a);
    parallel_for(default_num_threads(), a.num_entries(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) b.vals.data()[i] = converted<To>(from[i]);
    });
    return b;
  }
}

#define MILLRACE_INSTANTIATE(T)                                                                       \
  template struct Csr<T>;                                                                             \
  template Csr<T> Csr<T>::wrap(Index, Index, DeviceSpan<const std::int32_t>, DeviceSpan<const Index>, \
                               DeviceSpan<const T>, Trust);                                           \
  template Csr<T> Csr<T>::wrap(Index, Index, DeviceSpan<const std::int64_t>, DeviceSpan<const Index>, \
                               DeviceSpan<const T>, Trust);                                           \
  template Csr<float> convert_values(const Csr<T>&);                                                  \
  template Csr<double> convert_values(const Csr<T>&);                                                 \
  template Csr<std::complex<float>> convert_values(const Csr<T>&);                                    \
  template Csr<std::complex<double>> convert_values(const Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
