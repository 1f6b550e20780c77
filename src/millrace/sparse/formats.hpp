// THE list of formats. Conversion, products, names, error texts, the command's choices and the tests
// all follow from it; there is no second one.
#pragma once

#include <variant>

#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/bsr.hpp"
#include "millrace/sparse/format/dbf.hpp"
#include "millrace/sparse/format/dia.hpp"
#include "millrace/sparse/format/hyb.hpp"
#include "millrace/sparse/format/padded.hpp"
#include "millrace/sparse/format/tcoo.hpp"
#include "millrace/sparse/format/traits.hpp"

namespace millrace {

template <class T>
using AnyFormat = std::variant<Coo<T>, Csr<T>, Bsr<T>, Dbf<T>, Dia<T>, Ell<T>, Ellr<T>, Hyb<T>, Sell<T>, Rgcsr<T>,
                               Jds<T>, Pjds<T>, Tcoo<T>>;

/// Calls f.operator()<Format>() for every format of the list.
template <class T, class F>
void for_each_format(F&& f) {
  [&]<class... Formats>(std::type_identity<std::variant<Formats...>>) {
    (f.template operator()<Formats>(), ...);
  }(std::type_identity<AnyFormat<T>>{});
}

/// "coo csr sell"
std::string format_names();
/// The same with the parameters that a user may write: "coo csr sell-C-sigma"
std::string format_usage();

/// From the text a user writes; throws an Error that lists the formats there are. The matrix may live on a GPU; then so
/// does the result, made there in the order of the queue. The same arrays for any number of threads and on a GPU. The
/// matrix is checked as by check_csr, unless it is trusted.
template <class T>
AnyFormat<T> make_format(Queue& queue, const Csr<T>& a, std::string_view text, Trust trusted = {});
/// On a queue of its own, for which it waits.
template <class T>
AnyFormat<T> make_format(const Csr<T>& a, std::string_view text, Trust trusted = {});

/// Back to CSR: the same entries, in the same order within each row unless the format fills blocks or diagonals up
/// (then by column). Host only.
template <class T>
Csr<T> to_csr(const AnyFormat<T>& a);

/// "csr", "sell", ...
template <class T>
std::string_view name(const AnyFormat<T>& a) {
  return std::visit([](const auto& format) { return std::string_view(format.name); }, a);
}

}  // namespace millrace
