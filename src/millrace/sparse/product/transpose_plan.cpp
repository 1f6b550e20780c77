// The plan lists the entries of every column by a counting sort.
#include "millrace/sparse/product/transpose_plan.hpp"

#include <numeric>

#include "millrace/sparse/convert/entries.hpp"

namespace millrace {
namespace {

TransposePlan plan_of_entries(const convert::StoredEntries& list) {
  const Offset num_entries = list.cols.size();
  TransposePlan plan;
  plan.col_ptr = Array<Offset>(std::int64_t{list.num_cols} + 1, 0);
  plan.rows = Array<Index>(num_entries);
  plan.slots = Array<Offset>(num_entries);
  Offset* next = plan.col_ptr.data() + 1;
  for (Offset i = 0; i < num_entries; ++i) ++next[list.cols.data()[i]];
  std::partial_sum(plan.col_ptr.data(), plan.col_ptr.data() + plan.col_ptr.size(), plan.col_ptr.data());
  Array<Offset> places = plan.col_ptr.clone();
  for (Offset r = 0; r < list.rows.size(); ++r)
    for (Offset i = list.begin(r); i < list.begin(r + 1); ++i) {
      const Offset to = places.data()[list.cols.data()[i]]++;
      plan.rows.data()[to] = list.rows.data()[r];
      plan.slots.data()[to] = list.slots.data()[i];
    }
  return plan;
}

template <class Format>
TransposePlan plan_of(const convert::HostSteps& steps, const Format& format) {
  if constexpr (is_composite<Format>) {
    TransposePlan plan;
    format.for_each_part([&](const auto& part) { plan.parts.push_back(plan_of(steps, part)); });
    return plan;
  } else {
    return plan_of_entries(convert::list_entries(steps, format));
  }
}

}  // namespace

TransposePlan TransposePlan::to(Device device) const {
  TransposePlan copy{col_ptr.to(device), rows.to(device), slots.to(device), {}};
  for (const TransposePlan& part : parts) copy.parts.push_back(part.to(device));
  return copy;
}

template <class T>
TransposePlan make_transpose_plan(const AnyFormat<T>& any) {
  const convert::HostSteps steps{Queue()};
  return std::visit([&](const auto& format) { return plan_of(steps, format); }, any);
}

template TransposePlan make_transpose_plan(const AnyFormat<float>&);
template TransposePlan make_transpose_plan(const AnyFormat<double>&);
template TransposePlan make_transpose_plan(const AnyFormat<std::complex<float>>&);
template TransposePlan make_transpose_plan(const AnyFormat<std::complex<double>>&);

}  // namespace millrace
