// The words by which a user asks how values and columns are stored: "full", "float", "dict", or none of them.
#pragma once

#include <initializer_list>

#include "millrace/base/error.hpp"
#include "millrace/sparse/format/values.hpp"
#include "millrace/sparse/format_spec.hpp"

namespace millrace {

/// Checks the whole text too: at most `max_numbers` numbers, and no other words but those in `more`. The usage says
/// what the format takes.
inline Storage storage_of(const FormatSpec& spec, std::size_t max_numbers, std::string_view usage,
                          std::initializer_list<std::string_view> more = {}) {
  std::vector<std::string_view> words{"full", "float", "dict"};
  words.insert(words.end(), more);
  check_parameters(spec, max_numbers, words,
                   join(usage,
                        "; then full (nothing narrowed), float (values as floats) or dict (codes of the "
                        "values, at most 65536 different ones), or none of them"));
  require(spec.has("full") + spec.has("float") + spec.has("dict") <= 1, "format '", spec.text(),
          "': full, float and dict contradict each other");
  return spec.has("full")    ? Storage::full
         : spec.has("float") ? Storage::single
         : spec.has("dict")  ? Storage::dictionary
                             : Storage::automatic;
}

}  // namespace millrace
