// Matrix files on many ranks: each gets its rows, and none has the whole.
#pragma once

#include <complex>
#include <filesystem>
#include <variant>

#include "millrace/base/comm.hpp"
#include "millrace/io/matrix_market.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

using AnyRows = std::variant<GlobalRows<double>, GlobalRows<std::complex<double>>>;

/// Any matrix file by its name (.mtx, .mtx.gz, .mtx.xz, .mrx): the rows of this rank, by_rows(all rows, ranks,
/// `multiple`), with the bits of read_matrix. Complex when the file is, real otherwise. For all ranks; a file that one
/// of them finds bad is an error on all, with the text of read_matrix.
AnyRows read_rows(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options = {},
                  std::int64_t multiple = 1);

}  // namespace millrace
