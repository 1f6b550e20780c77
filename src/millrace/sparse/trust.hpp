// Whether arrays of a user's are looked at before they are used.
#pragma once

namespace millrace {

/// A last argument of what takes arrays: `trust` leaves out the one pass over offsets, columns and patterns that finds
/// what would read or write elsewhere. For those who measure, and for arrays that were checked before.
struct Trust {
  bool arrays = false;
};
/// As in SparseMatrix<double>(csr, "sell", trust).
inline constexpr Trust trust{true};

}  // namespace millrace
