// One pass over the rows counts, one fills.
#include "millrace/dist/matrix_split.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace millrace {
namespace {

Index ghost_number(const HaloPlan& plan, std::int64_t col) {
  const auto found = std::ranges::lower_bound(plan.ghosts, col);
  require(found != plan.ghosts.end() && *found == col, "the column ", col,
          " is new; values on the same pattern are accepted");
  return static_cast<Index>(found - plan.ghosts.begin());
}

template <class T>
Index checked_rows(const GlobalRows<T>& rows, const HaloPlan& plan) {
  const std::int64_t columns = rows.num_rows() + std::ssize(plan.ghosts);
  require(columns <= std::numeric_limits<Index>::max(), "a rank has ", rows.num_rows(), " rows and ",
          plan.ghosts.size(), " of others beside them; ", std::numeric_limits<Index>::max(),
          " together are accepted; more ranks have fewer each");
  return static_cast<Index>(rows.num_rows());
}

}  // namespace

template <class T>
SplitRows<T> split(const GlobalRows<T>& rows, const HaloPlan& plan) {
  const Index num = checked_rows(rows, plan);
  const std::int64_t begin = rows.first, end = rows.end();
  const auto own = [&](std::int64_t col) { return col >= begin && col < end; };
  Array<Offset> local_ptr(std::int64_t{num} + 1);
  std::vector<Offset> outer_ptr{0};
  std::vector<Index> boundary;
  local_ptr.data()[0] = 0;
  for (Index r = 0; r < num; ++r) {
    const Offset first = rows.row_ptr.data()[r], last = rows.row_ptr.data()[r + 1];
    const auto inside = std::count_if(rows.cols.data() + first, rows.cols.data() + last, own);
    local_ptr.data()[r + 1] = local_ptr.data()[r] + inside;
    if (inside == last - first) continue;
    boundary.push_back(r);
    outer_ptr.push_back(outer_ptr.back() + (last - first - inside));
  }
  Array<Index> local_cols(local_ptr.data()[num]), outer_cols(outer_ptr.back());
  Array<T> local_vals(local_cols.size()), outer_vals(outer_cols.size());
  Offset inner = 0, outer = 0;
  for (Offset s = 0; s < rows.num_entries(); ++s) {
    const std::int64_t col = rows.cols.data()[s];
    if (own(col)) {
      local_cols.data()[inner] = static_cast<Index>(col - begin);
      local_vals.data()[inner++] = rows.vals.data()[s];
    } else {
      outer_cols.data()[outer] = ghost_number(plan, col);
      outer_vals.data()[outer++] = rows.vals.data()[s];
    }
  }
  const auto num_boundary = static_cast<Index>(boundary.size()), num_ghosts = static_cast<Index>(plan.ghosts.size());
  return {Csr<T>(num, num, std::move(local_ptr), std::move(local_cols), std::move(local_vals)),
          Csr<T>(num_boundary, num_ghosts, Array<Offset>(std::span<const Offset>(outer_ptr)), std::move(outer_cols),
                 std::move(outer_vals)),
          Array<Index>(std::span<const Index>(boundary))};
}

template <class T>
Csr<T> undivided(const GlobalRows<T>& rows, const HaloPlan& plan, bool ascending) {
  const Index num = checked_rows(rows, plan);
  Array<Index> cols(rows.num_entries());
  Array<T> vals(rows.num_entries());
  std::vector<Offset> order;
  for (Index r = 0; r < num; ++r) {
    const Offset begin = rows.row_ptr.data()[r], end = rows.row_ptr.data()[r + 1];
    order.resize(static_cast<std::size_t>(end - begin));
    std::iota(order.begin(), order.end(), begin);
    if (ascending) std::ranges::stable_sort(order, {}, [&](Offset s) { return rows.cols.data()[s]; });
    Offset to = begin;
    for (const Offset s : order) {
      const std::int64_t col = rows.cols.data()[s];
      vals.data()[to] = rows.vals.data()[s];
      cols.data()[to++] =
          col >= rows.first && col < rows.end() ? static_cast<Index>(col - rows.first) : num + ghost_number(plan, col);
    }
  }
  return {num, static_cast<Index>(num + std::ssize(plan.ghosts)), rows.row_ptr.clone(), std::move(cols),
          std::move(vals)};
}

#define MILLRACE_INSTANTIATE(T)                                                 \
  template SplitRows<T> split(const GlobalRows<T>& rows, const HaloPlan& plan); \
  template Csr<T> undivided(const GlobalRows<T>& rows, const HaloPlan& plan, bool ascending);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
