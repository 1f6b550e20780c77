// Checks of a user's CSR arrays, where they are.
#include "millrace/sparse/convert/check.hpp"

#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/convert/host_steps.hpp"

namespace millrace {
namespace {

// The arrays themselves: how many there are of what, where they lie, and whether they lie anywhere.
void check_arrays(const convert::Rows& a, Offset num_offsets, Offset num_cols, Device offsets, Device cols, Device vals,
                  bool has_values) {
  require(a.num_rows >= 0 && a.num_cols >= 0, "csr: a size of ", a.num_rows, " x ", a.num_cols, " is not possible");
  require(num_offsets == Offset{a.num_rows} + 1, "csr: ", a.num_rows, " rows need ", Offset{a.num_rows} + 1,
          " row offsets; there are ", num_offsets);
  require(num_cols == a.num_entries, "csr: there are ", num_cols, " columns but ", a.num_entries,
          " values; they belong together");
  require(a.narrow || a.wide, "csr: the row offsets are a null pointer");
  require(a.num_entries == 0 || a.cols, "csr: the columns of ", a.num_entries, " entries are a null pointer");
  require(a.num_entries == 0 || has_values, "csr: the values of ", a.num_entries, " entries are a null pointer");
  require(offsets == vals && (cols == vals || a.num_entries == 0),
          "csr: the three arrays must live on one device; they are on ", to_string(offsets), ", ", to_string(cols),
          " and ", to_string(vals));
}

}  // namespace

template <class T>
void check_csr(Queue& queue, const Csr<T>& a) {
  const convert::Rows rows = convert::rows_of(a);
  std::visit(
      [&](const auto& offsets) {
        check_arrays(rows, offsets.size(), a.cols.size(), offsets.device(), a.cols.device(), a.vals.device(),
                     a.vals.data() != nullptr);
      },
      a.row_ptr);
  require(queue.device() == a.device(), "csr: the matrix lives on ", to_string(a.device()), ", the queue on ",
          to_string(queue.device()), "; both must be on one device");
  if (a.device().on_host()) {
    convert::HostSteps steps(queue);
    convert::check_rows(steps, rows);
  } else if constexpr (build::cuda) {
    cuda::check_rows(queue, rows);
  }
}

template <class T>
void check_csr(const Csr<T>& a) {
  if constexpr (build::cuda)
    if (!a.device().on_host()) cuda::wait_for_device(a.device());
  Queue queue(a.device());
  check_csr(queue, a);
}

#define MILLRACE_INSTANTIATE(T)                         \
  template void check_csr(Queue& queue, const Csr<T>&); \
  template void check_csr(const Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
