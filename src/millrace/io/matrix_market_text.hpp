// A Matrix Market text in memory to a matrix. Inside the library; tests choose the size of the chunks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "millrace/io/chunks.hpp"
#include "millrace/io/compression.hpp"
#include "millrace/io/matrix_market_header.hpp"
#include "millrace/io/text_buffer.hpp"

namespace millrace {

inline constexpr std::int64_t default_chunk_bytes = std::int64_t{1} << 20;

/// `text` is the whole file, followed by a line feed that is not part of it; `name` is what error texts
/// call it.
template <class T>
Csr<T> parse_matrix_market(std::string_view text, const MatrixMarketHead& head, const std::string& name,
                           const ReadOptions& options, const IoProgress& progress,
                           std::int64_t chunk_bytes = default_chunk_bytes);

/// Loads a file and hands its text, its head and the rest of the progress to f.
template <class F>
auto with_matrix_market(const std::filesystem::path& path, const ReadOptions& options, F&& f) {
  const IoProgress progress{options.progress};
  const double loaded = compression_of(path) == Compression::none ? 0 : 0.5;  // a plain file is mapped at once
  const TextBuffer file = load_text(path, progress.part(0, loaded), SIZE_MAX, nullptr, options.max_memory);
  const MatrixMarketHead head = parse_head(file.text(), path.string(), options.strict);
  return f(file.text(), head, progress.part(loaded, 1));
}

}  // namespace millrace
