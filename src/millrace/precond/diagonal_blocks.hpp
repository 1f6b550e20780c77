// Where the entries of dense diagonal blocks lie. On the host a block lies together, column by column. On a GPU 32
// neighbouring rows lie side by side (as in sliced ELLPACK, but no column needs an index), so that a thread takes a
// row.
#pragma once

#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

/// One row of its block: entry j belongs to column start + j and lies at first + j * stride.
struct DiagonalBlockRow {
  Index start, length;
  Offset first, stride;
};

struct DiagonalBlocksView {
  static constexpr Index slice = 32;
  Index num_rows, num_blocks;
  Index size;             // of all blocks but perhaps the last; 0: sizes differ
  bool sliced;            // the GPU's way
  const Index* starts;    // [num_blocks + 1], first row of every block
  const Index* block_of;  // [num_rows], null where sizes do not differ
  const Offset* ptr;      // entries before a block, or a slice; null where sizes do not differ

  MILLRACE_HD Index start(Index block) const { return size > 0 ? block * size : starts[block]; }
  MILLRACE_HD Index length(Index block) const {
    if (size == 0) return starts[block + 1] - starts[block];
    const Index left = num_rows - block * size;
    return left < size ? left : size;
  }
  MILLRACE_HD Index block_at(Index row) const { return size > 0 ? row / size : block_of[row]; }
  MILLRACE_HD DiagonalBlockRow row(Index r) const {
    const Index block = block_at(r), begin = start(block), columns = length(block);
    if (sliced) {
      const Offset before = ptr ? ptr[r / slice] : static_cast<Offset>(r / slice) * slice * size;
      return {begin, columns, before + r % slice, slice};
    }
    const Offset before = ptr ? ptr[block] : static_cast<Offset>(block) * size * size;
    return {begin, columns, before + (r - begin), columns};
  }
};

class DiagonalBlocks {
 public:
  DiagonalBlocks() = default;
  /// First rows of all blocks and, last, the number of rows.
  DiagonalBlocks(std::vector<Index> starts, bool sliced);

  Index num_rows() const { return starts_.empty() ? 0 : starts_.back(); }
  Index num_blocks() const { return starts_.empty() ? 0 : static_cast<Index>(starts_.size()) - 1; }
  Index max_size() const { return max_size_; }
  Offset num_entries() const { return num_entries_; }  // of the blocks, padding not counted
  Offset num_slots() const { return num_slots_; }
  bool sliced() const { return sliced_; }
  std::int64_t moved_bytes() const { return size_ > 0 ? 0 : row_starts_.bytes() + block_of_.bytes() + ptr_.bytes(); }
  const std::vector<Index>& starts() const { return starts_; }  // on the host, wherever the rest is

  DiagonalBlocks to(Device device) const;
  DiagonalBlocksView view() const {
    const bool equal = size_ > 0;
    return {num_rows(),
            num_blocks(),
            size_,
            sliced_,
            row_starts_.data(),
            equal ? nullptr : block_of_.data(),
            equal ? nullptr : ptr_.data()};
  }

 private:
  std::vector<Index> starts_;
  Index size_ = 0, max_size_ = 0;
  bool sliced_ = false;
  Offset num_entries_ = 0, num_slots_ = 0;
  Array<Index> row_starts_;  // starts_ on the device
  Array<Index> block_of_;    // [num_rows] or empty
  Array<Offset> ptr_;        // [num_blocks + 1] or [num_slices + 1], or empty
};

}  // namespace millrace
