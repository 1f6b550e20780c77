// A format that would need far more memory than CSR says so before it takes any of it.
#pragma once

#include <string_view>

#include "millrace/sparse/csr.hpp"

namespace millrace {

inline constexpr double max_growth = 20;  // times the memory of CSR

/// Throws Unsupported with the figures when `needed_bytes` exceed max_growth times the bytes of the CSR matrix.
template <class T>
void require_reasonable(std::string_view format, double needed_bytes, const Csr<T>& a, std::string_view why) {
  const auto csr_bytes = static_cast<double>(a.footprint().bytes);
  require<Unsupported>(needed_bytes <= max_growth * csr_bytes, format, ": this matrix would need ", needed_bytes / 1e6,
                       " MB, ", needed_bytes / csr_bytes, " times the ", csr_bytes / 1e6, " MB of csr (", why,
                       "); up to ", max_growth, " times are accepted");
}

}  // namespace millrace
