// Fills a CSR matrix row by row with several threads.
#include "millrace/sparse/gallery/rows.hpp"

#include <limits>

namespace millrace::gallery {

Index checked_rows(std::string_view name, std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  double product = 1;
  std::string text;
  for (const std::int64_t factor : factors) {
    product *= static_cast<double>(factor);
    text += join(text.empty() ? "" : " x ", factor);
  }
  const bool exact = product < 9e18;
  require(product <= static_cast<double>(most), name, ": ", text, " would make ",
          exact ? join(static_cast<std::int64_t>(product)) : join(product), " rows; at most ", most, " are possible");
  return static_cast<Index>(product);
}

void sum_up(std::span<std::int64_t> row_ptr) {
  row_ptr[0] = 0;
  for (std::size_t r = 1; r < row_ptr.size(); ++r) row_ptr[r] += row_ptr[r - 1];
}

}  // namespace millrace::gallery
