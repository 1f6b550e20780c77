// The padded family and the hybrid format on host threads, and formats whose vectors are in the order of their rows.
#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/hyb.hpp"
#include "millrace/sparse/convert/run.hpp"

namespace millrace {
namespace {

// The matrix with columns in the order in which the shape sorts its rows, or none when no row moves.
template <class T>
Csr<T> with_sorted_columns(const convert::HostSteps& steps, const Csr<T>& a, const PaddedShape& shape) {
  const Array<Index> lengths = convert::row_lengths(steps, convert::rows_of(a), shape.max_length, nullptr);
  const Index* length = lengths.data();
  const Offset longest = steps.max(a.num_rows, [=](Offset r) { return Offset{length[r]}; });
  const Array<Index> order = convert::order_by_length(steps, lengths, static_cast<Index>(longest), shape.window);
  Csr<T> b = a.clone();
  if (order.empty()) return b;
  Array<Index> places(order.size());
  Index *place = places.data(), *cols = b.cols.data();
  const Index* row = order.data();
  steps.for_each(order.size(), [=](Offset i) { place[row[i]] = static_cast<Index>(i); });
  steps.for_each(b.num_entries(), [=](Offset s) { cols[s] = place[cols[s]]; });
  return b;
}

template <class T>
PaddedArrays<T> make_reordered_arrays(const char* name, const Csr<T>& a, const PaddedShape& shape) {
  check_csr(a);
  require(a.device().on_host(), name, ": the CSR matrix lives on ", to_string(a.device()),
          ", reordered vectors are made on the host");
  require(a.num_rows == a.num_cols, name, ": reordered vectors need a square matrix; this one is ", a.num_rows, " x ",
          a.num_cols);
  require<Unsupported>(!shape.rcm, name, ": rcm has an order of its own; reordered vectors go without it");
  const convert::HostSteps steps{Queue()};
  PaddedArrays<T> b = convert::make_padded(steps, name, with_sorted_columns(steps, a, shape), shape);
  b.vectors_reordered = true;
  return b;
}

}  // namespace

template <class T, class Member>
Padded<T, Member> Padded<T, Member>::from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  return convert::run<Padded>(queue, a, spec, trusted);
}

template <class T, class Member>
Padded<T, Member> Padded<T, Member>::make_reordered(const Csr<T>& a, std::string_view text) {
  return Padded(make_reordered_arrays(name, a, Member::shape(parse_format_spec(text))));
}

template <class T>
Hyb<T> Hyb<T>::from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  return convert::run<Hyb>(queue, a, spec, trusted);
}

#define MILLRACE_INSTANTIATE(T)           \
  template struct Padded<T, EllMember>;   \
  template struct Padded<T, EllrMember>;  \
  template struct Padded<T, SellMember>;  \
  template struct Padded<T, RgcsrMember>; \
  template struct Padded<T, JdsMember>;   \
  template struct Padded<T, PjdsMember>;  \
  template Hyb<T> Hyb<T>::from_csr(Queue&, const Csr<T>&, const FormatSpec&, Trust)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
