// How a GPU shares out a product of CSR, and the words with which a user asks for it: "csr-split". Without a word the
// matrix decides (product/csr/plan.hpp), and on the host all of them mean plain CSR.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "millrace/sparse/format_spec.hpp"

namespace millrace {

/// Some lanes per row; tiles of rows through shared memory; chunks of entries whatever their rows are; the same with x
/// of the columns used most in shared memory.
enum class CsrSchedule { rows, tiles, split, cached };
inline constexpr std::array<std::string_view, 4> csr_schedule_names{"rows", "tiles", "split", "cached"};

constexpr std::string_view name(CsrSchedule schedule) { return csr_schedule_names[static_cast<std::size_t>(schedule)]; }

/// What the text of a format asks for; nothing where it has no such word or is no CSR.
std::optional<CsrSchedule> asked_schedule(const FormatSpec& spec);

}  // namespace millrace
