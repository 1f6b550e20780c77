// A line belongs to the rank in whose even part of the bytes it begins.
#include <algorithm>
#include <cstring>
#include <vector>

#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/shared_text.hpp"
#include "millrace/io/placed_file.hpp"

namespace millrace {
namespace {

/// The first line that begins at this place or behind it.
std::int64_t line_from(const PlacedFile& file, std::int64_t place) {
  std::vector<char> some(1 << 14);
  for (--place; place < file.size();) {  // a line feed before it will do
    const std::int64_t bytes = std::min<std::int64_t>(std::ssize(some), file.size() - place);
    file.read(some.data(), bytes, place);
    if (const void* end = std::memchr(some.data(), '\n', to_size(bytes)))
      return place + (static_cast<const char*>(end) - some.data()) + 1;
    place += bytes;
  }
  return file.size();
}

class PlainText final : public SharedText {
 public:
  PlainText(const Comm& comm, const std::filesystem::path& path, const MatrixMarketHead& head,
            const ShareOptions& options)
      : file_(together(comm, [&] { return std::make_unique<PlacedFile>(path); })), options_(options) {
    const auto body = static_cast<std::int64_t>(head.body);
    PartCount count;
    char last = '\n';
    together(comm, [&] {
      const auto [from, to] = even_part(file_->size() - body, comm.rank(), comm.size());
      begin_ = place_ = from == 0 ? body : line_from(*file_, body + from);
      end_ = to == file_->size() - body ? file_->size() : to == 0 ? body : line_from(*file_, body + to);
      if (file_->size() > 0) file_->read(&last, 1, file_->size() - 1);
      for (TextPiece piece; read(piece);) {
        counts_.push_back(count_part(piece.text, head, options.part));
        count.lines += counts_.back().lines;
        count.entries += counts_.back().entries;
      }
      place_ = begin_;
    });
    next_ = {.first_line = head.size_line + 1};
    const std::vector<PartCount> all = comm.gather(count);
    std::int64_t lines = 0;
    for (int r = 0; r < comm.size(); ++r) {
      lines += all[to_size(r)].lines;
      if (r >= comm.rank()) continue;
      next_.first_line += all[to_size(r)].lines;
      next_.entries_before += all[to_size(r)].entries;
    }
    last_line_ = head.size_line + lines + (last == '\n' ? 0 : 1);
    text_bytes_ = to_size(file_->size());
  }

  bool next(TextPiece& piece) override {
    if (!read(piece)) return false;
    const PartCount& count = counts_[num_pieces_++];
    piece.first_line = next_.first_line;
    piece.entries_before = next_.entries_before;
    next_.first_line += count.lines;
    next_.entries_before += count.entries;
    return true;
  }
  void read_to_the_end() override {}
  bool by_rounds() const override { return false; }
  double fraction() const override {
    return static_cast<double>(place_ - begin_ + 1) / static_cast<double>(end_ - begin_ + 1);
  }

 private:
  // The next whole lines of the range.
  bool read(TextPiece& piece) {
    if (place_ >= end_) return false;
    for (std::int64_t want = options_.piece_bytes;; want *= 2) {
      const std::int64_t bytes = std::min(want, end_ - place_);
      if (std::ssize(buffer_) < bytes + 1) buffer_.resize(to_size(bytes) + 1);
      file_->read(buffer_.data(), bytes, place_);
      std::string_view text(buffer_.data(), to_size(bytes));
      if (bytes < end_ - place_) text = text.substr(0, text.rfind('\n') + 1);
      if (text.empty()) continue;  // a line that is longer
      buffer_[text.size()] = '\n';
      piece.text = text;
      place_ += std::ssize(text);
      return true;
    }
  }

  std::unique_ptr<PlacedFile> file_;
  ShareOptions options_;
  std::int64_t begin_ = 0, end_ = 0, place_ = 0;  // bytes of the file
  std::vector<PartCount> counts_{};               // of the pieces
  std::size_t num_pieces_ = 0;                    // that were handed out
  TextPiece next_{};
  std::vector<char> buffer_{};
};

}  // namespace

std::unique_ptr<SharedText> share_plain_text(const Comm& comm, const std::filesystem::path& path,
                                             const MatrixMarketHead& head, const ShareOptions& options) {
  return std::make_unique<PlainText>(comm, path, head, options);
}

}  // namespace millrace
