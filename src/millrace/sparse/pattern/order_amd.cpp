// Approximate minimum degree, by SuiteSparse. It takes a pattern of any symmetry and adds the transpose itself.
#include <complex>
#include <limits>

#include "millrace/sparse/pattern/order_graph.hpp"

#if MILLRACE_WITH_AMD
#include <amd.h>
#endif

namespace millrace {

#if MILLRACE_WITH_AMD
namespace {

int call_amd(int n, const int* begin, const int* cols, int* order) {
  return amd_order(n, begin, cols, order, nullptr, nullptr);
}
SuiteSparse_long call_amd(SuiteSparse_long n, const SuiteSparse_long* begin, const SuiteSparse_long* cols,
                          SuiteSparse_long* order) {
  return amd_l_order(n, begin, cols, order, nullptr, nullptr);
}

// The same numbers as integers of another width; a copy only where the width differs.
template <class Int, class From>
struct Widened {
  std::vector<Int> copy;
  Widened(const From* data, Offset size) : copy(data, data + size) {}
  const Int* data() const { return copy.data(); }
};
template <class Int>
struct Widened<Int, Int> {
  const Int* given;
  Widened(const Int* data, Offset) : given(data) {}
  const Int* data() const { return given; }
};

template <class Int, class RowOffset, class T>
std::vector<Index> order_with(const CsrView<T, RowOffset>& a) {
  const Widened<Int, RowOffset> begin(a.row_ptr, Offset{a.num_rows} + 1);
  const Widened<Int, Index> cols(a.cols, a.num_entries);
  std::vector<Int> order(static_cast<std::size_t>(a.num_rows));
  const auto status = call_amd(Int{a.num_rows}, begin.data(), cols.data(), order.data());
  require(status != AMD_OUT_OF_MEMORY, "amd: no memory for the order of ", a.num_rows, " rows with ", a.num_entries,
          " entries");
  require(status == AMD_OK || status == AMD_OK_BUT_JUMBLED, "amd: the pattern is not valid; check_csr says where");
  return {order.begin(), order.end()};
}

}  // namespace
#endif

template <class T>
std::vector<Index> order_amd([[maybe_unused]] const Csr<T>& a) {
#if MILLRACE_WITH_AMD
  if (a.num_entries() == 0) return natural_order(a.num_rows);  // AMD expects entries
  // A + A^T has at most twice the entries; AMD's work space has a fifth more and some vectors, counted in its integers.
  const double work = 2.4 * static_cast<double>(a.num_entries()) + 16.0 * a.num_rows;
  return a.visit_view([&]<class A, class RowOffset>(const CsrView<A, RowOffset>& view) {
    if constexpr (sizeof(RowOffset) == sizeof(int))
      if (work < std::numeric_limits<int>::max()) return order_with<int>(view);
    return order_with<SuiteSparse_long>(view);
  });
#else
  throw Unsupported("ordering 'amd' was asked for, but this build has no SuiteSparse AMD");
#endif
}

template std::vector<Index> order_amd(const Csr<float>&);
template std::vector<Index> order_amd(const Csr<double>&);
template std::vector<Index> order_amd(const Csr<std::complex<float>>&);
template std::vector<Index> order_amd(const Csr<std::complex<double>>&);

}  // namespace millrace
