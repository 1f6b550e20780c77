// Rounds: each rank parses a piece of text and sends its entries to the ranks that have their rows. Ranks have
// ascending parts of the text, so of several that find a line at fault the lowest has the first one.
#include "millrace/dist/read_market.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "millrace/base/to_size.hpp"
#include "millrace/dist/entry_router.hpp"
#include "millrace/dist/read_errors.hpp"
#include "millrace/io/matrix_market_expand.hpp"

namespace millrace {
namespace {

// On rank 0: the text up to the end of the head, from a plain file.
std::string head_of_plain(const std::filesystem::path& path, bool strict) {
  const TextBuffer file = TextBuffer::map(path);
  return std::string(file.text().substr(0, parse_head(file.text(), path.string(), strict).body));
}

// From a packed file, all of whose text that was unpacked for it stays in `text`. Damage is the better reason.
std::string head_of_packed(PackedText& file, std::string& text, const std::string& name, bool strict) {
  constexpr std::size_t step_bytes = std::size_t{1} << 16;
  const auto unpack_more = [&] {
    const std::size_t before = text.size();
    text.resize(before + step_bytes);
    text.resize(before + file.read(text.data() + before, step_bytes));
  };
  while (!file.done() && !head_is_complete(text)) unpack_more();
  try {
    return text.substr(0, parse_head(text, name, strict).body);
  } catch (const IoError&) {
    while (!file.done()) text.clear(), unpack_more();
    throw;
  }
}

}  // namespace

MarketFile::MarketFile(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options,
                       std::int64_t piece_bytes)
    : comm_(comm), name_(path.string()), options_(options) {
  const bool packed = compression_of(path) != Compression::none;
  std::unique_ptr<PackedText> file;
  std::string text;
  const std::string head = from_rank_0(comm, [&] {
    if (!packed) return head_of_plain(path, options.strict);
    file = std::make_unique<PackedText>(path, options.max_memory);
    return head_of_packed(*file, text, name_, options.strict);
  });
  head_ = parse_head(head, name_, options.strict);
  if (comm.rank() != 0) options_.progress = nullptr;
  const ShareOptions share{{options.strict, threads_or_default(options.num_threads)}, piece_bytes};
  text_ = packed ? share_packed_text(comm, std::move(file), std::move(text), head_, share)
                 : share_plain_text(comm, path, head_, share);
}

// One reading of a file into rows of T.
template <class T>
class MarketFile::Reading {
 public:
  Reading(MarketFile& file, const Partition& parts) : file_(file), router_(file.comm_, parts) {}

  // Until all ranks have come to the end of their text, or to a line at fault that may be the first.
  void read_all() {
    const int rank = file_.comm_.rank();
    std::vector<ReadState> states(to_size(file_.comm_.size()), ReadState::working);
    ReadState mine = ReadState::working;
    while (std::ranges::find(states, ReadState::working) != states.end()) {
      if (mine == ReadState::working) mine = read_piece();
      states = router_.exchange(mine);
      const auto failed = std::ranges::find(states, ReadState::failed) - states.begin();
      if (failed == std::ssize(states)) continue;
      if (file_.text_->by_rounds()) break;
      if (failed < rank && mine == ReadState::working) mine = ReadState::finished;
    }
    if (std::ranges::find(states, ReadState::failed) == states.end()) return;
    file_.text_->read_to_the_end();
    throw_of_file(file_.comm_, fault_);
  }

  GlobalRows<T> take_rows() {
    const MatrixMarketHead& head = file_.head_;
    std::int64_t found[] = {num_entries_};
    file_.comm_.sum(found);
    if (found[0] != head.header.entries)
      refuse_file(file_.comm_, join(file_.name_, ':', file_.text_->last_line(), ": ", too_few(head, found[0])));
    return of_file(file_.comm_, [&] {
      check_market_memory<T>(head, file_.name_, file_.text_->text_bytes(), file_.options_.max_memory);
      if (late_fault_) std::rethrow_exception(late_fault_);
      return assembled();
    });
  }

 private:
  // Repeated entries are added up here, and not all of them can be.
  GlobalRows<T> assembled() {
    try {
      return router_.take_rows(file_.head_.header.cols, file_.text_->by_rounds());
    } catch (const Error& error) {
      throw IoError(join(file_.name_, ": ", error.what()));
    }
  }

  ReadState read_piece() {
    try {
      TextPiece piece;
      if (!file_.text_->next(piece)) return ReadState::finished;
      parse(piece);
      IoProgress{file_.options_.progress}.part(0.1, 0.9)(file_.text_->fraction());
      return ReadState::working;
    } catch (const OnAllRanks&) {
      throw;
    } catch (...) {
      fault_ = std::current_exception();
      return ReadState::failed;
    }
  }

  void parse(const TextPiece& piece) {
    const MatrixMarketHead& head = file_.head_;
    const std::function<void(double)> nobody;
    const PartOptions options{file_.options_.strict, threads_or_default(file_.options_.num_threads)};
    const StoredEntries<T> stored = parse_part<T>(piece.text, head, piece.first_line, options, {nobody});
    const LineFault fault = first_fault(stored.chunks, head, piece.entries_before);
    require<IoError>(fault.line == 0, file_.name_, ':', fault.line, ": ", fault.what);
    std::int64_t before = piece.entries_before;
    for (const TextChunk& chunk : stored.chunks) {
      if (head.header.array && head.header.symmetry == MmSymmetry::hermitian && options.strict && !late_fault_)
        check_diagonal(stored, chunk, before);
      for_each_entry(stored, chunk, head.header, before,
                     [&](Index row, Index col, T value) { router_.add(row, col, value); });
      before += chunk.num_entries;
    }
    num_entries_ += before - piece.entries_before;
  }

  // The reader for one rank looks at the diagonal of an array when all else is right.
  void check_diagonal(const StoredEntries<T>& stored, const TextChunk& chunk, std::int64_t before) {
    const std::int64_t entry = array_facts(stored, chunk, file_.head_.header, before).not_real;
    if (entry >= 0)
      late_fault_ = std::make_exception_ptr(IoError(join(
          file_.name_, ':', line_of_entry(chunk, entry, file_.head_.numbers_per_entry()), ": ", diagonal_not_real)));
  }

  MarketFile& file_;
  EntryRouter<T> router_;
  std::int64_t num_entries_ = 0;  // of the file that this rank has parsed
  std::exception_ptr fault_{}, late_fault_{};
};

template <class T>
GlobalRows<T> MarketFile::read_rows(std::int64_t multiple) {
  of_file(comm_, [&] { return check_market_field<T>(head_, name_), 0; });
  Reading<T> reading(*this, by_rows(head_.header.rows, comm_.size(), multiple));
  reading.read_all();
  GlobalRows<T> rows = reading.take_rows();
  if (!options_.keep_explicit_zeros) rows = drop_zeros(std::move(rows));
  IoProgress{options_.progress}(1);
  return rows;
}

template GlobalRows<float> MarketFile::read_rows(std::int64_t);
template GlobalRows<double> MarketFile::read_rows(std::int64_t);
template GlobalRows<std::complex<float>> MarketFile::read_rows(std::int64_t);
template GlobalRows<std::complex<double>> MarketFile::read_rows(std::int64_t);

}  // namespace millrace
