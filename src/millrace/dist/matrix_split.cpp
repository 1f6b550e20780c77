// One pass over the rows counts, one fills.
#include "millrace/dist/matrix_split.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"

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
HaloRows<T> with_halo(const Comm& comm, const GlobalRows<T>& rows) {
  together(comm, [&] { check_rows(rows); });
  const Partition parts = as_they_are(comm, rows.num_rows());
  together(comm, [&] {
    require(rows.first == parts.begin(comm.rank()) && rows.num_cols == parts.num_rows(),
            "distributed matrix: rows from ", rows.first, " on with ", rows.num_cols,
            " columns; the ranks before have ", parts.begin(comm.rank()), " rows and all of them ", parts.num_rows(),
            ", so the first must be the former, and the columns as many as the latter");
  });
  HaloPlan plan = make_halo_plan(comm, parts, {rows.cols.data(), to_size(rows.cols.size())});
  Csr<T> here = together(comm, [&] { return undivided(rows, plan); });
  return {parts, std::move(plan), std::move(here)};
}

template <class T>
SplitRows<T> split(const Csr<T>& a) {
  const Index num = a.num_rows;
  Array<Offset> local_ptr(std::int64_t{num} + 1);
  std::vector<Offset> outer_ptr{0};
  std::vector<Index> boundary;
  local_ptr.data()[0] = 0;
  for (Index r = 0; r < num; ++r) {
    const Offset first = a.row_begin(r), last = a.row_begin(r + 1);
    const auto inside =
        std::count_if(a.cols.data() + first, a.cols.data() + last, [&](Index col) { return col < num; });
    local_ptr.data()[r + 1] = local_ptr.data()[r] + inside;
    if (inside == last - first) continue;
    boundary.push_back(r);
    outer_ptr.push_back(outer_ptr.back() + (last - first - inside));
  }
  Array<Index> local_cols(local_ptr.data()[num]), outer_cols(outer_ptr.back());
  Array<T> local_vals(local_cols.size()), outer_vals(outer_cols.size());
  Offset inner = 0, outer = 0;
  for (Offset s = 0; s < a.num_entries(); ++s) {
    const Index col = a.cols.data()[s];
    if (col < num) {
      local_cols.data()[inner] = col;
      local_vals.data()[inner++] = a.vals.data()[s];
    } else {
      outer_cols.data()[outer] = col - num;
      outer_vals.data()[outer++] = a.vals.data()[s];
    }
  }
  return {Csr<T>(num, num, std::move(local_ptr), std::move(local_cols), std::move(local_vals)),
          Csr<T>(static_cast<Index>(boundary.size()), a.num_cols - num,
                 Array<Offset>(std::span<const Offset>(outer_ptr)), std::move(outer_cols), std::move(outer_vals)),
          Array<Index>(std::span<const Index>(boundary))};
}

template <class T>
Csr<T> undivided(const GlobalRows<T>& rows, const HaloPlan& plan) {
  const Index num = checked_rows(rows, plan);
  Array<Index> cols(rows.num_entries());
  for (Offset s = 0; s < rows.num_entries(); ++s) {
    const std::int64_t col = rows.cols.data()[s];
    cols.data()[s] =
        col >= rows.first && col < rows.end() ? static_cast<Index>(col - rows.first) : num + ghost_number(plan, col);
  }
  return {num, static_cast<Index>(num + std::ssize(plan.ghosts)), rows.row_ptr.clone(), std::move(cols),
          rows.vals.clone()};
}

template <class T>
Csr<T> ascending(const Csr<T>& a, const HaloPlan& plan, std::int64_t first) {
  const auto col_of = [&](Offset s) {
    const Index col = a.cols.data()[s];
    return col < a.num_rows ? first + col : plan.ghosts[to_size(col - a.num_rows)];
  };
  Csr<T> sorted = a.clone();
  std::vector<Offset> order;
  for (Index r = 0; r < a.num_rows; ++r) {
    const Offset begin = a.row_begin(r);
    order.resize(to_size(a.row_begin(r + 1) - begin));
    std::iota(order.begin(), order.end(), begin);
    std::ranges::stable_sort(order, {}, col_of);
    Offset to = begin;
    for (const Offset s : order) {
      sorted.vals.data()[to] = a.vals.data()[s];
      sorted.cols.data()[to++] = a.cols.data()[s];
    }
  }
  return sorted;
}

#define MILLRACE_INSTANTIATE(T)                                      \
  template HaloRows<T> with_halo(const Comm&, const GlobalRows<T>&); \
  template SplitRows<T> split(const Csr<T>&);                        \
  template Csr<T> undivided(const GlobalRows<T>&, const HaloPlan&);  \
  template Csr<T> ascending(const Csr<T>&, const HaloPlan&, std::int64_t);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
