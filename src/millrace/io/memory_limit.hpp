// What a reader may ask the machine for, where a few bytes of a file claim much. Inside the library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace millrace {

/// The limit of a reader in bytes: what the caller allows, or (0) 1 GB, or 50 times the file where that is more.
std::int64_t memory_limit(std::int64_t file_bytes, std::int64_t max_memory);

/// Refuses what needs more than the limit: "PLACE: WHAT need 3.20 GB, ...". `file_bytes` counts the unpacked file.
void require_memory(const std::string& place, std::string_view what, double bytes, std::int64_t file_bytes,
                    std::int64_t max_memory);

}  // namespace millrace
