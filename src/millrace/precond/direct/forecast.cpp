// What a factorisation will cost: AMD's count for pivots on the diagonal, or UMFPACK's bound where that is less.
#include <vector>

#include "millrace/precond/direct/factors.hpp"

#if MILLRACE_WITH_AMD
#include <amd.h>
#endif

namespace millrace {

template <class T>
std::optional<DirectForecast> forecast_direct([[maybe_unused]] const Csr<T>& a, [[maybe_unused]] bool hermitian) {
  require(a.num_rows == a.num_cols, "forecast_direct: the matrix is ", a.num_rows, " x ", a.num_cols,
          "; it must be square");
  DirectForecast forecast;
#if MILLRACE_WITH_AMD
  if (a.num_entries() > 0) {
    std::vector<SuiteSparse_long> begin, cols(a.cols.data(), a.cols.data() + a.num_entries());
    for (Index r = 0; r <= a.num_rows; ++r) begin.push_back(a.row_begin(r));
    std::vector<SuiteSparse_long> order(static_cast<std::size_t>(a.num_rows));
    double info[AMD_INFO] = {};
    const auto status = amd_l_order(a.num_rows, begin.data(), cols.data(), order.data(), nullptr, info);
    require(status == AMD_OK || status == AMD_OK_BUT_JUMBLED, "forecast_direct: no memory for the order of ",
            a.num_rows, " rows with ", a.num_entries(), " entries");
    const double operations = hermitian ? info[AMD_NMULTSUBS_LDL] : info[AMD_NMULTSUBS_LU];
    forecast.flops = (is_complex<T> ? 4 : 1) * (info[AMD_NDIV] + 2 * operations);
    forecast.factor_entries = (hermitian ? 1 : 2) * info[AMD_LNZ] + a.num_rows;
  }
  forecast.factor_bytes = forecast.factor_entries * (is_complex<T> ? 24 : 16);  // of double, and an index
  if constexpr (MILLRACE_WITH_UMFPACK) {
    if (!hermitian && a.num_entries() > 0) {
      const DirectForecast bound = detail::forecast_umfpack(detail::columns_of(a));
      if (bound.flops < forecast.flops) return bound;
    }
  }
  return forecast;
#else
  return {};
#endif
}

template std::optional<DirectForecast> forecast_direct(const Csr<float>&, bool);
template std::optional<DirectForecast> forecast_direct(const Csr<double>&, bool);
template std::optional<DirectForecast> forecast_direct(const Csr<std::complex<float>>&, bool);
template std::optional<DirectForecast> forecast_direct(const Csr<std::complex<double>>&, bool);

}  // namespace millrace
