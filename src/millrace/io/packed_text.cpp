// Unpacks a mapped file; lines are counted on the way, for the place of damage.
#include "millrace/io/packed_text.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/human.hpp"
#include "millrace/io/memory_limit.hpp"

namespace millrace {

PackedText::PackedText(const std::filesystem::path& path, std::int64_t max_memory, std::size_t max_bytes)
    : name_(path.string()),
      file_(TextBuffer::map(path)),
      packed_bytes_(file_.text().size()),
      limit_(static_cast<std::size_t>(memory_limit(static_cast<std::int64_t>(packed_bytes_), max_memory))),
      unpacker_(make_unpacker(compression_of(path), name_, file_.text(), std::min(max_bytes, limit_))) {}

std::size_t PackedText::read(char* to, std::size_t room) {
  constexpr std::size_t keep = std::size_t{8} << 20;
  const std::size_t made = unpacker_->fault().empty() ? unpacker_->next(to, room) : 0;
  text_bytes_ += made;
  num_lines_ += std::count(to, to + made, '\n');
  require<IoError>(unpacker_->fault().empty(), name_, ':', num_lines_ + 1, ": ", unpacker_->fault());
  require<IoError>(done() || text_bytes_ < limit_, name_, ": ", bytes_text(static_cast<double>(packed_bytes_)),
                   " unpack to more than ", bytes_text(static_cast<double>(limit_)),
                   "; a limit on memory (--max-memory) that is larger allows more");
  const std::size_t used = packed_bytes_ - unpacker_->rest_bytes();
  if (used >= forgotten_ + keep) file_.forget(forgotten_ = used);
  return made;
}

double PackedText::fraction() const {
  return 1 -
         static_cast<double>(unpacker_->rest_bytes()) / static_cast<double>(std::max<std::size_t>(packed_bytes_, 1));
}

}  // namespace millrace
