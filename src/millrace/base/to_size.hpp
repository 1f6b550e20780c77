// A count or position of ours (signed) as the standard library wants it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

constexpr std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace millrace
