// The plan lists the entries of every column by a counting sort.
#include "millrace/sparse/product/transpose_plan.hpp"

#include <numeric>

namespace millrace {
namespace {

template <class Format>
TransposePlan plan_of(const Format& format) {
  TransposePlan plan;
  if constexpr (is_composite<Format>) {
    format.for_each_part([&](const auto& part) { plan.parts.push_back(plan_of(part)); });
  } else {
    plan.col_ptr = Array<Offset>(static_cast<std::int64_t>(format.num_cols) + 1, 0);
    plan.rows = Array<Index>(format.num_entries());
    plan.slots = Array<Offset>(format.num_entries());
    Offset* count = plan.col_ptr.data() + 1;
    for_each_entry(format, [&](Index, Index c, Offset) { ++count[c]; });
    std::partial_sum(plan.col_ptr.data(), plan.col_ptr.data() + plan.col_ptr.size(), plan.col_ptr.data());
    Array<Offset> next = plan.col_ptr.clone();
    for_each_entry(format, [&](Index r, Index c, Offset s) {
      const Offset to = next.data()[c]++;
      plan.rows.data()[to] = r;
      plan.slots.data()[to] = s;
    });
  }
  return plan;
}

}  // namespace

TransposePlan TransposePlan::to(Device device) const {
  TransposePlan copy{col_ptr.to(device), rows.to(device), slots.to(device), {}};
  for (const TransposePlan& part : parts) copy.parts.push_back(part.to(device));
  return copy;
}

template <class T>
TransposePlan make_transpose_plan(const AnyFormat<T>& any) {
  return std::visit([](const auto& format) { return plan_of(format); }, any);
}

template TransposePlan make_transpose_plan(const AnyFormat<float>&);
template TransposePlan make_transpose_plan(const AnyFormat<double>&);
template TransposePlan make_transpose_plan(const AnyFormat<std::complex<float>>&);
template TransposePlan make_transpose_plan(const AnyFormat<std::complex<double>>&);

}  // namespace millrace
