// A Matrix Market file that many ranks read together. Inside the library; tests choose the size of the pieces.
#pragma once

#include <filesystem>
#include <memory>

#include "millrace/dist/shared_text.hpp"
#include "millrace/io/matrix_market.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// Text that a rank parses at a time. Its entries are in memory four times, as they are parsed, sorted by owner, sent
/// and kept.
inline constexpr std::int64_t default_piece_bytes = std::int64_t{4} << 20;

/// For all ranks, like its functions. What is wrong with the file is an error on all of them, in the words of the
/// reader for one rank; of several lines at fault the first is named.
class MarketFile {
 public:
  MarketFile(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options = {},
             std::int64_t piece_bytes = default_piece_bytes);

  const MatrixMarketHeader& header() const { return head_.header; }
  /// The rows of this rank, with the bits of the reader for one rank. Only once.
  template <class T>
  GlobalRows<T> read_rows(std::int64_t multiple = 1);

 private:
  template <class T>
  class Reading;

  Comm comm_;
  std::string name_;
  ReadOptions options_;
  MatrixMarketHead head_{};
  std::unique_ptr<SharedText> text_{};
};

}  // namespace millrace
