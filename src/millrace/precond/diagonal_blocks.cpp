// The layouts of dense diagonal blocks.
#include "millrace/precond/diagonal_blocks.hpp"

#include <algorithm>

namespace millrace {

DiagonalBlocks::DiagonalBlocks(std::vector<Index> starts, bool sliced) : starts_(std::move(starts)), sliced_(sliced) {
  require(!starts_.empty() && starts_[0] == 0, "block jacobi: the first block starts at row 0");
  bool equal = true;
  for (Index b = 0; b < num_blocks(); ++b) {
    const auto at = static_cast<std::size_t>(b);
    const Index length = starts_[at + 1] - starts_[at];
    require(length > 0, "block jacobi: block ", b, " starts at row ", starts_[at], ", the next at ", starts_[at + 1],
            "; starts must rise");
    max_size_ = std::max(max_size_, length);
    num_entries_ += static_cast<Offset>(length) * length;
    equal = equal && (length == starts_[1] || (b + 1 == num_blocks() && length < starts_[1]));
  }
  constexpr Index slice = DiagonalBlocksView::slice;
  const Index n = num_rows(), num_slices = (n + slice - 1) / slice;
  row_starts_ = Array<Index>(std::span<const Index>(starts_));
  if (equal) {
    size_ = num_blocks() > 0 ? starts_[1] : 1;
    num_slots_ = sliced ? static_cast<Offset>(num_slices) * slice * size_ : num_entries_;
    return;
  }
  block_of_ = Array<Index>(n);
  for (Index b = 0; b < num_blocks(); ++b)
    std::fill(block_of_.data() + starts_[static_cast<std::size_t>(b)],
              block_of_.data() + starts_[static_cast<std::size_t>(b) + 1], b);
  const auto length_of = [&](Index b) {
    return starts_[static_cast<std::size_t>(b) + 1] - starts_[static_cast<std::size_t>(b)];
  };
  ptr_ = Array<Offset>((sliced ? num_slices : num_blocks()) + 1, 0);
  if (sliced) {
    for (Index s = 0; s < num_slices; ++s) {
      Index longest = 0;
      for (Index r = s * slice; r < std::min(n, (s + 1) * slice); ++r)
        longest = std::max(longest, length_of(block_of_.data()[r]));
      ptr_.data()[s + 1] = ptr_.data()[s] + static_cast<Offset>(longest) * slice;
    }
  } else {
    for (Index b = 0; b < num_blocks(); ++b)
      ptr_.data()[b + 1] = ptr_.data()[b] + static_cast<Offset>(length_of(b)) * length_of(b);
  }
  num_slots_ = ptr_.data()[ptr_.size() - 1];
}

DiagonalBlocks DiagonalBlocks::to(Device target) const {
  DiagonalBlocks copy;
  copy.starts_ = starts_;
  copy.size_ = size_;
  copy.max_size_ = max_size_;
  copy.sliced_ = sliced_;
  copy.num_entries_ = num_entries_;
  copy.num_slots_ = num_slots_;
  copy.row_starts_ = row_starts_.to(target);
  copy.block_of_ = block_of_.to(target);
  copy.ptr_ = ptr_.to(target);
  return copy;
}

}  // namespace millrace
