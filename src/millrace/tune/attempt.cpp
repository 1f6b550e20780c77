// The words of a plan.
#include "millrace/tune/attempt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "millrace/sparse/order.hpp"

namespace millrace {

double relative_aim(const SolveOptions& options, double rhs_norm) {
  return std::max(options.tolerance, rhs_norm > 0 ? options.absolute / rhs_norm : options.absolute);
}

std::string SolvePlan::name() const {
  std::string text = method;
  if (method.ends_with("gmres")) text += fmt::format("({})", restart);
  if (precond != "none") text += " + " + precond;
  if (mixed) text += " in float, refined";
  return order.empty() ? text : fmt::format("{}, order {}", text, order);
}

std::vector<std::string> order_words(std::string_view order) {
  std::vector<std::string> words;
  while (!order.empty()) {
    const std::size_t end = std::min(order.find('+'), order.size());
    if (end > 0) words.emplace_back(order.substr(0, end));
    order.remove_prefix(std::min(end + 1, order.size()));
  }
  for (const std::string& word : words)
    if (word != "match" && word != "negate" && word != "scale") parse_ordering(word);
  return words;
}

}  // namespace millrace
