// The words by which a user asks how values and columns are stored: "full", "float", or neither.
#pragma once

#include "millrace/base/error.hpp"
#include "millrace/sparse/format_spec.hpp"
#include "millrace/sparse/values.hpp"

namespace millrace {

/// Checks the whole text too: at most `most` numbers, and no other words. The usage says what the format takes.
inline Storage storage_of(const FormatSpec& spec, std::size_t most, std::string_view usage) {
  check_parameters(spec, most, {"full", "float"},
                   join(usage, "; then full (nothing narrowed) or float (values as floats), or neither"));
  require(!(spec.has("full") && spec.has("float")), "format '", spec.text(), "': full and float contradict each other");
  return spec.has("full") ? Storage::full : spec.has("float") ? Storage::single : Storage::automatic;
}

}  // namespace millrace
