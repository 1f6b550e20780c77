// The name that somebody who mistyped another probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace millrace {

/// One of `names`, or empty where none is near: at most one letter in three is missing, too many, wrong or exchanged
/// with its neighbour.
std::string nearest_name(std::string_view wanted, std::span<const std::string> names);

}  // namespace millrace
