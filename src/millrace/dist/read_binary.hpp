// An .mrx file that many ranks read together. Inside the library.
#pragma once

#include <filesystem>

#include "millrace/base/comm.hpp"
#include "millrace/io/binary.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// The head, which every rank reads. For all ranks.
BinaryHeader read_binary_header(const Comm& comm, const std::filesystem::path& path);

/// The rows of this rank; the ranks add the checksums up together. What is wrong with the file is an error on all of
/// them, in the words of read_binary. For all ranks.
template <class T>
GlobalRows<T> read_binary_rows(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options = {},
                               std::int64_t multiple = 1);

}  // namespace millrace
