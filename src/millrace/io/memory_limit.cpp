// The rule for what a reader may ask the machine for.
#include "millrace/io/memory_limit.hpp"

#include <algorithm>

#include "millrace/base/device.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/human.hpp"

namespace millrace {

std::int64_t memory_limit(std::int64_t file_bytes, std::int64_t max_memory) {
  constexpr std::int64_t always_fine = 1'000'000'000, times_the_file = 50;
  return max_memory > 0 ? max_memory : std::max(always_fine, times_the_file * file_bytes);
}

void require_memory(const std::string& place, std::string_view what, double bytes, std::int64_t file_bytes,
                    std::int64_t max_memory) {
  const auto limit = static_cast<double>(memory_limit(file_bytes, max_memory));
  const auto machine = static_cast<double>(facts(Device::host()).memory_bytes);
  if (bytes <= limit && (max_memory > 0 || machine <= 0 || bytes <= machine)) return;
  const auto file = bytes_text(static_cast<double>(file_bytes));
  if (max_memory > 0)
    throw IoError(join(place, ": ", what, " need ", bytes_text(bytes), "; the limit is ", bytes_text(limit)));
  if (bytes > limit)
    throw IoError(join(place, ": ", what, " need ", bytes_text(bytes), ", for a file of ", file, "; up to ",
                       bytes_text(limit), " are taken unless a limit on memory (--max-memory) allows more"));
  throw IoError(join(place, ": ", what, " need ", bytes_text(bytes), "; this machine has ", bytes_text(machine)));
}

}  // namespace millrace
