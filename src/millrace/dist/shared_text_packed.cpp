// Rank 0 unpacks a round of text, cuts it at line ends, and sends each rank a piece.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "millrace/base/to_size.hpp"
#include "millrace/dist/messages.hpp"
#include "millrace/dist/read_errors.hpp"
#include "millrace/dist/shared_text.hpp"

namespace millrace {
namespace {

class PackedShare final : public SharedText {
 public:
  PackedShare(const Comm& comm, std::unique_ptr<PackedText> file, std::string text, const MatrixMarketHead& head,
              const ShareOptions& options)
      : comm_(comm), file_(std::move(file)), head_(head), options_(options), text_(std::move(text)) {
    constexpr std::int64_t round_bytes = std::int64_t{32} << 20, least = std::int64_t{1} << 16;
    options_.piece_bytes = std::min(options.piece_bytes, std::max(least, round_bytes / comm.size()));
    text_bytes_ = text_.size();
    if (!text_.empty()) last_ = text_.back();
    dealt_ = std::min(head.body, text_.size());
    next_ = {.first_line = head.size_line + 1};
  }

  bool next(TextPiece& piece) override {
    const Round round = make_round();
    if (round.bytes.back() == 0) {
      last_line_ = next_.first_line - (round.ends_line ? 1 : 0);
      return false;
    }
    take(round, piece);
    const PartCount mine = count_part(piece.text, head_, options_.part);
    piece.first_line = next_.first_line;
    piece.entries_before = next_.entries_before;
    const std::vector<PartCount> all = comm_.gather(mine);
    for (int r = 0; r < comm_.size(); ++r) {
      const PartCount& count = all[to_size(r)];
      next_.first_line += count.lines;
      next_.entries_before += count.entries;
      if (r < comm_.rank()) {
        piece.first_line += count.lines;
        piece.entries_before += count.entries;
      }
    }
    return true;
  }

  void read_to_the_end() override {
    from_rank_0(comm_, [&] {
      std::vector<char> some(step_bytes);
      while (!file_->done()) file_->read(some.data(), some.size());
      return std::string();
    });
  }
  bool by_rounds() const override { return true; }
  double fraction() const override { return file_ ? file_->fraction() : 0; }

 private:
  static constexpr std::size_t step_bytes = std::size_t{1} << 20;
  struct Round {
    std::vector<std::int64_t> bytes{};  // [ranks + 1]: where the piece of each rank begins, and where the last one ends
    bool ends_line = false;             // does the text so far end in a line feed?
  };

  // On rank 0: text for all ranks, as far as there is any.
  void unpack() {
    text_.erase(0, dealt_);
    dealt_ = 0;
    const std::size_t wanted = to_size(options_.piece_bytes * comm_.size());
    text_.reserve(wanted + 2 * step_bytes);
    while (!file_->done() && (text_.size() < wanted || text_.find('\n') == text_.npos)) {
      const std::size_t before = text_.size();
      text_.resize(before + step_bytes);
      const std::size_t made = file_->read(text_.data() + before, step_bytes);
      text_.resize(before + made);
      text_bytes_ += made;
    }
    if (!text_.empty()) last_ = text_.back();
  }

  Round make_round() {
    const std::string message = from_rank_0(comm_, [&] {
      unpack();
      const std::size_t ready = file_->done() ? text_.size() : text_.rfind('\n') + 1;
      std::vector<std::int64_t> numbers{0};
      const std::int64_t even = (static_cast<std::int64_t>(ready) + comm_.size() - 1) / comm_.size();
      for (const TextChunk& chunk : cut_at_lines(text_.data(), text_.data() + ready, std::max<std::int64_t>(1, even)))
        numbers.push_back(chunk.end - text_.data());
      numbers.resize(to_size(comm_.size() + 1), static_cast<std::int64_t>(ready));
      numbers.push_back(last_ == '\n' ? 1 : 0);
      numbers.push_back(static_cast<std::int64_t>(text_bytes_));
      dealt_ = ready;
      return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0]));
    });
    std::vector<std::int64_t> numbers(message.size() / sizeof(std::int64_t));
    std::memcpy(numbers.data(), message.data(), message.size());
    text_bytes_ = to_size(numbers.back());
    const bool ends_line = numbers[numbers.size() - 2] == 1;
    numbers.resize(numbers.size() - 2);
    return {std::move(numbers), ends_line};
  }

  void take(const Round& round, TextPiece& piece) {
    const auto bytes_of = [&](int r) { return round.bytes[to_size(r) + 1] - round.bytes[to_size(r)]; };
    std::vector<Message> in, out;
    if (comm_.rank() == 0) {
      for (int r = 1; r < comm_.size(); ++r)
        if (bytes_of(r) > 0) out.push_back(message_of(r, 0, text_.data() + round.bytes[to_size(r)], bytes_of(r)));
    } else {
      text_.resize(to_size(bytes_of(comm_.rank())) + 1);
      if (text_.size() > 1) in.push_back(message_of(0, 0, text_.data(), std::ssize(text_) - 1));
    }
    Messages messages(comm_, in, out, "the dealing of text");
    messages.start();
    messages.wait();
    const std::size_t mine = to_size(bytes_of(comm_.rank()));
    if (comm_.rank() > 0) {
      text_.back() = '\n';
    } else if (text_[mine - 1] != '\n') {  // the last line of all
      text_.push_back('\n');
      dealt_ = text_.size();
    }
    piece.text = std::string_view(text_.data(), mine);
  }

  Comm comm_;
  std::unique_ptr<PackedText> file_;  // on rank 0
  const MatrixMarketHead& head_;
  ShareOptions options_;
  std::string text_;       // unpacked and not yet dealt out; elsewhere the piece of this rank
  std::size_t dealt_ = 0;  // of it, from its beginning
  char last_ = '\n';       // of the text so far
  TextPiece next_{};
};

}  // namespace

std::unique_ptr<SharedText> share_packed_text(const Comm& comm, std::unique_ptr<PackedText> file, std::string text,
                                              const MatrixMarketHead& head, const ShareOptions& options) {
  return std::make_unique<PackedShare>(comm, std::move(file), std::move(text), head, options);
}

}  // namespace millrace
