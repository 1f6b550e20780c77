// What all ranks that share a vector must do alike.
#pragma once

#include <functional>

#include "millrace/base/together.hpp"

namespace millrace::detail {

using Monitor = std::function<bool(int, double)>;

/// A monitor that ends all ranks when that of one of them says so, or throws; a rank may have none. Empty when nobody
/// has one. All ranks must call it.
inline Monitor agreed_monitor(const Comm& comm, const Monitor& mine) {
  if (comm.size() == 1 || !comm.any(mine != nullptr)) return mine;
  return [comm, mine](int iteration, double residual) {
    return comm.all(together(comm, [&] { return !mine || mine(iteration, residual); }));
  };
}

/// How many entries vectors have on the ranks before this one: where numbers drawn for every row begin.
inline std::uint64_t first_row(const Comm& comm, std::int64_t rows) {
  return static_cast<std::uint64_t>(comm.sum_before(rows));
}
/// On all ranks together.
inline std::int64_t all_rows(const Comm& comm, std::int64_t rows) {
  comm.sum(std::span(&rows, 1));
  return rows;
}

}  // namespace millrace::detail
