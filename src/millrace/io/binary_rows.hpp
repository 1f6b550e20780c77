// Some rows of an .mrx file. Inside the library; whoever reads them has the checksums looked at.
#pragma once

#include "millrace/io/binary_input.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// Where rows first .. last begin among all entries, and where the last of them ends [last - first + 1]. Refused in the
/// words of read_binary: offsets of the whole that do not run from 0 to the number of entries, or that fall here.
Array<Offset> read_row_offsets(const MrxInput& file, std::int64_t first, std::int64_t last);

/// The rows that have these offsets, in the scalar T that loses nothing. Columns outside are refused likewise.
template <class T>
GlobalRows<T> read_binary_rows(const MrxInput& file, std::int64_t first, Array<Offset> offsets, int num_threads,
                               const IoProgress& progress);

}  // namespace millrace
