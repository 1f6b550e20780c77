// A format from its text, and the way back to CSR.
#include <numeric>
#include <optional>
#include <vector>

#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/convert/entries.hpp"

namespace millrace {

namespace convert {

template StoredEntries list_rows(const HostSteps&, const SlicedView<float, float, Index>&, const std::uint64_t*);
template StoredEntries list_rows(const HostSteps&, const JaggedView<float, float, Index>&, const std::uint64_t*);
template StoredEntries list_rows(const HostSteps&, const CsrView<float, std::int32_t>&, const std::uint64_t*);
template StoredEntries list_rows(const HostSteps&, const CsrView<float, std::int64_t>&, const std::uint64_t*);
template StoredEntries list_rows(const HostSteps&, const BsrView<float>&, const std::uint64_t*);
template StoredEntries list_rows(const HostSteps&, const DbfView<float>&, const std::uint64_t*);
template StoredEntries list_rows(const HostSteps&, const DiaView<float>&, const std::uint64_t*);
template StoredEntries list_list(const HostSteps&, const CooView<float>&);
template StoredEntries list_list(const HostSteps&, const TcooView<float>&);

}  // namespace convert

namespace {

void require_convertible(const std::string& format, Device device, bool by_gpu, bool host_only) {
  require<Unsupported>(device.on_host() || by_gpu, format, ": the CSR matrix lives on ", to_string(device),
                       host_only ? ", this format is for a CPU" : ", the conversion on the host",
                       "; copy the matrix with to(Device::host())");
}

}  // namespace

template <class T>
AnyFormat<T> make_format(Queue& queue, const Csr<T>& a, std::string_view text, Trust trusted) {
  const ThreadLimit limit(queue);
  const FormatSpec spec = parse_format_spec(text);
  if (!trusted.arrays) check_csr(queue, a);
  std::optional<AnyFormat<T>> made;
  for_each_format<T>([&]<class Format>() {
    if (spec.name != Format::name) return;
    require_convertible(spec.name, a.device(), converts_on_gpu<Format>, is_host_only<Format>);
    made.emplace(std::in_place_type<Format>, from_csr<Format>(queue, a, spec));
  });
  require(made.has_value(), "unknown sparse format '", spec.name, "'; this build has: ", format_names());
  return std::move(*made);
}

template <class T>
AnyFormat<T> make_format(const Csr<T>& a, std::string_view text, Trust trusted) {
  Queue queue(a.device());
  AnyFormat<T> made = make_format(queue, a, text, trusted);
  queue.wait();
  return made;
}

namespace {

void require_on_host(Device device) {
  require(device.on_host(), "to_csr: the matrix lives on ", to_string(device), "; copy it with to(Device::host())");
}

// Row offsets of the matrix, and where each stored row begins in it; every row is stored once.
Array<std::int64_t> row_offsets_of(const convert::StoredEntries& list) {
  Array<std::int64_t> row_ptr(std::int64_t{list.num_rows} + 1, 0);
  for (Offset i = 0; i < list.rows.size(); ++i)
    row_ptr.data()[list.rows.data()[i] + 1] += list.begin(i + 1) - list.begin(i);
  std::partial_sum(row_ptr.data(), row_ptr.data() + row_ptr.size(), row_ptr.data());
  return row_ptr;
}

// Entry i of the list goes to place[i] of the matrix, or rows keep their entries in stored order.
template <class T, class Stored>
void gather(const convert::HostSteps& steps, const convert::StoredEntries& list, const std::int64_t* row_ptr,
            const Offset* place, const Stored* stored, const Arith<T>* table, Index* cols, Arith<T>* vals) {
  steps.for_each(list.rows.size(), [&](Offset i) {
    for (Offset from = list.begin(i); from < list.begin(i + 1); ++from) {
      const Offset to = place ? place[from] : row_ptr[list.rows.data()[i]] + from - list.begin(i);
      cols[to] = list.cols.data()[from];
      vals[to] = decode(stored[list.slots.data()[from]], table);
    }
  });
}

// Values is an array or stored values: compiled for these, not for every format.
template <class T, class Values>
Csr<T> entries_to_csr(const convert::HostSteps& steps, const convert::StoredEntries& list, const Values& values,
                      const Offset* place) {
  Array<std::int64_t> row_ptr = row_offsets_of(list);
  Array<Index> cols(list.cols.size());
  Array<T> vals(cols.size());
  visit_stored(values, [&](const auto* stored, const Arith<T>* table) {
    gather<T>(steps, list, row_ptr.data(), place, stored, table, cols.data(), arith(vals.data()));
  });
  return {list.num_rows, list.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
}

// The entries of a simple format in the order of its vectors.
template <class T, class Format>
Csr<T> simple_to_csr(Queue& queue, const Format& format) {
  const convert::HostSteps steps(queue);
  if constexpr (Format::is_row_format)
    return entries_to_csr<T>(steps, convert::list_entries(steps, format), format.vals, nullptr);
  else if constexpr (requires { format.source; })
    return entries_to_csr<T>(steps, convert::list_entries(steps, format), format.vals, format.source.data());
  else
    return to_csr(queue, format, false);
}

// Two matrices of the same shape, the entries of each row of the second after those of the first.
template <class T>
Csr<T> join_rows(const Csr<T>& a, const Csr<T>& b) {
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(a.num_rows) + 1);
  for (Index r = 0; r <= a.num_rows; ++r) row_ptr.data()[r] = a.row_begin(r) + b.row_begin(r);
  Array<Index> cols(a.num_entries() + b.num_entries());
  Array<T> vals(cols.size());
  for (Index r = 0; r < a.num_rows; ++r) {
    Offset to = row_ptr.data()[r];
    for (const Csr<T>* part : {&a, &b}) {
      const Offset begin = part->row_begin(r), end = part->row_begin(r + 1);
      std::copy(part->cols.data() + begin, part->cols.data() + end, cols.data() + to);
      std::copy(part->vals.data() + begin, part->vals.data() + end, vals.data() + to);
      to += end - begin;
    }
  }
  return {a.num_rows, a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
}

// From the order of the sorted rows back to the user's: row i becomes row order[i], column likewise.
template <class T>
Csr<T> in_user_order(const Csr<T>& a, std::span<const Index> order) {
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  Csr<T> b = permute_rows(a, place);
  for (Index& c : b.cols.span()) c = order[static_cast<std::size_t>(c)];
  return b;
}

}  // namespace

template <class T>
Csr<T> to_csr(const AnyFormat<T>& a) {
  Queue queue;
  return std::visit(
      [&]<class Format>(const Format& format) -> Csr<T> {
        require_on_host(format.device());
        if constexpr (is_composite<Format>) {
          std::optional<Csr<T>> sum;
          format.for_each_part([&](const auto& part) {
            Csr<T> next = simple_to_csr<T>(queue, part);
            sum = sum ? join_rows(*sum, next) : std::move(next);
          });
          return std::move(*sum);
        } else {
          const Array<Index>* order = permutation_of(format);
          Csr<T> made = simple_to_csr<T>(queue, format);
          return order ? in_user_order(made, order->span()) : std::move(made);
        }
      },
      a);
}

#define MILLRACE_INSTANTIATE(T)                                                      \
  template AnyFormat<T> make_format(Queue&, const Csr<T>&, std::string_view, Trust); \
  template AnyFormat<T> make_format(const Csr<T>&, std::string_view, Trust);         \
  template Csr<T> to_csr(const AnyFormat<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
