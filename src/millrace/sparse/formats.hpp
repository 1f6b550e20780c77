// THE list of formats. Conversion, products, names, error texts, the command's choices and the tests
// all follow from it; there is no second one.
#pragma once

#include <variant>

#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/sell.hpp"

namespace millrace {

template <class T>
using AnyFormat = std::variant<Coo<T>, Csr<T>, Sell<T>>;

/// Calls f.operator()<Format>() for every format of the list.
template <class T, class F>
void for_each_format(F&& f) {
  [&]<class... Formats>(std::type_identity<std::variant<Formats...>>) {
    (f.template operator()<Formats>(), ...);
  }(std::type_identity<AnyFormat<T>>{});
}

/// "coo csr sell"
std::string format_names();

/// From the text a user writes; throws an Error that lists the formats there are.
template <class T>
AnyFormat<T> make_format(const Csr<T>& a, std::string_view text);

/// Back to CSR: the same entries in the same order within each row. Host only.
template <class T>
Csr<T> to_csr(const AnyFormat<T>& a);

template <class T>
std::string_view name(const AnyFormat<T>& a) {
  return std::visit([](const auto& format) { return std::string_view(format.name); }, a);
}

}  // namespace millrace
