// Text in blocks that are formatted and compressed in parallel and written in their order. Inside the library.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "millrace/io/chunks.hpp"
#include "millrace/io/compression.hpp"
#include "millrace/io/output_file.hpp"

namespace millrace {

class TextWriter {
 public:
  /// .gz and .xz compress: every block becomes a gzip member or an xz stream of its own.
  explicit TextWriter(const std::filesystem::path& path) : file_(path), compression_(compression_of(path)) {}

  void write(std::string_view text) { head_ += text; }

  /// format(block, text) fills text; called from several threads.
  template <class Format>
  void write_blocks(std::int64_t num_blocks, Format&& format, const IoProgress& progress) {
    const int threads = default_num_threads();
    std::vector<std::string> texts(static_cast<std::size_t>(threads));  // one per block of a round
    for (std::int64_t first = 0; first < num_blocks; first += threads) {
      const auto count = std::min<std::int64_t>(threads, num_blocks - first);
      for_each_chunk(threads, count, IoProgress{nobody}, [&](std::int64_t k) {
        std::string& text = texts[static_cast<std::size_t>(k)];
        text.clear();
        format(first + k, text);
        if (compression_ == Compression::none) return;
        if (first + k == 0) text.insert(0, std::exchange(head_, {}));
        text = pack(compression_, text);
      });
      write_head();
      for (std::int64_t k = 0; k < count; ++k) file_.write(texts[static_cast<std::size_t>(k)]);
      progress(static_cast<double>(first + count) / static_cast<double>(num_blocks));
    }
  }
  void commit() {
    write_head();
    file_.commit();
  }

 private:
  void write_head() {
    if (!head_.empty()) file_.write(compression_ == Compression::none ? head_ : pack(compression_, head_));
    head_.clear();
  }

  static inline const std::function<void(double)> nobody{};
  OutputFile file_;
  Compression compression_;
  std::string head_;  // small text that waits for the first block
};

/// A comment as lines that begin with "% ".
std::string comment_lines(std::string_view comment);

}  // namespace millrace
