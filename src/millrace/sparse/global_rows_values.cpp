// Value by value; the first that does not fit is named.
#include "millrace/sparse/global_rows_values.hpp"

#include <algorithm>
#include <complex>
#include <limits>

namespace millrace {
namespace {

template <class To, class From>
To in_scalar(const From& value) {
  using R = RealOf<To>;
  if constexpr (is_complex<To>)
    return To(static_cast<R>(std::real(value)), static_cast<R>(std::imag(value)));
  else
    return static_cast<To>(value);
}

template <class From>
[[noreturn]] void refuse_value(const GlobalRows<From>& rows, Offset bad) {
  const From value = rows.vals.data()[bad];
  const Offset* offsets = rows.row_ptr.data();
  const auto row = std::upper_bound(offsets, offsets + rows.num_rows() + 1, bad) - offsets - 1;
  const auto size = static_cast<double>(std::max(std::abs(std::real(value)), std::abs(std::imag(value))));
  throw Error(join("convert: the entry in row ", rows.first + row, ", column ", rows.cols.data()[bad], " has the size ",
                   size, ", beyond the range of a float; up to ",
                   static_cast<double>(std::numeric_limits<float>::max()), " is accepted, or double"));
}

}  // namespace

template <class To, class From>
GlobalRows<To> convert_values(GlobalRows<From> rows) {
  if constexpr (std::is_same_v<To, From>) {
    return rows;
  } else if constexpr (is_complex<From> && !is_complex<To>) {
    throw Unsupported("convert: complex values do not fit into a real matrix");
  } else {
    Array<To> vals(rows.num_entries());
    for (Offset s = 0; s < rows.num_entries(); ++s) {
      vals.data()[s] = in_scalar<To>(rows.vals.data()[s]);
      if (is_finite(arith(rows.vals.data()[s])) && !is_finite(arith(vals.data()[s]))) refuse_value(rows, s);
    }
    return {rows.first, rows.num_cols, std::move(rows.row_ptr), std::move(rows.cols), std::move(vals)};
  }
}

#define MILLRACE_INSTANTIATE(T)                                           \
  template GlobalRows<float> convert_values(GlobalRows<T>);               \
  template GlobalRows<double> convert_values(GlobalRows<T>);              \
  template GlobalRows<std::complex<float>> convert_values(GlobalRows<T>); \
  template GlobalRows<std::complex<double>> convert_values(GlobalRows<T>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
