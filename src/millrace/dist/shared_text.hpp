// The text of a Matrix Market file behind its head, of which each rank gets whole lines, piece by piece. Inside the
// library.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "millrace/base/comm.hpp"
#include "millrace/io/matrix_market_part.hpp"
#include "millrace/io/packed_text.hpp"

namespace millrace {

/// Whole lines, followed by a line feed that is not part of them, and where they stand in the file.
struct TextPiece {
  std::string_view text{};
  std::int64_t first_line = 0, entries_before = 0;
};

/// All ranks ask for pieces, as often as the one that gets the most of them.
class SharedText {
 public:
  virtual ~SharedText() = default;
  /// The next piece of this rank, until the one after it; false when there is none for it.
  virtual bool next(TextPiece& piece) = 0;
  /// Reads what is left, for its errors. For all ranks.
  virtual void read_to_the_end() = 0;
  /// Does a piece of a later round stand behind those of all ranks in the rounds before? Else behind those of the ranks
  /// before.
  virtual bool by_rounds() const = 0;
  virtual double fraction() const = 0;  // that this rank has read

  std::int64_t last_line() const { return last_line_; }  // of the file, when all was read
  std::size_t text_bytes() const { return text_bytes_; }

 protected:
  std::int64_t last_line_ = 0;
  std::size_t text_bytes_ = 0;
};

/// How a text is shared: `piece_bytes` are about as many as a piece has.
struct ShareOptions {
  PartOptions part{};
  std::int64_t piece_bytes = 0;
};

/// A plain file: each rank reads a range of it, twice; the first time it counts. For all ranks.
std::unique_ptr<SharedText> share_plain_text(const Comm& comm, const std::filesystem::path& path,
                                             const MatrixMarketHead& head, const ShareOptions& options);

/// A packed file, which rank 0 has begun to unpack, with the text so far; others have null. Rank 0 deals pieces out.
std::unique_ptr<SharedText> share_packed_text(const Comm& comm, std::unique_ptr<PackedText> file, std::string text,
                                              const MatrixMarketHead& head, const ShareOptions& options);

}  // namespace millrace
