// Rows with values in bfloat16 for a GPU, 32 neighbours of like length side by side (M. Kreutzer et al. 2014), with
// columns of 2 bytes where they lie near each other and of 3 elsewhere: a level's matrix, or a prolongator.
#pragma once

#include "millrace/precond/multigrid/narrow_matrix.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {

inline constexpr Index slice_rows = 32, window_rows = 256;  // rows are sorted by length within a window

/// Near entries behind the last one that may be read; they do not count.
inline constexpr Index slices_margin = 4 * slice_rows;

/// The arrays as plain pointers. Where columns are near, entry i of row k of a slice is at slice_begin[slice] + 32 i +
/// k; elsewhere entries 2 i and 2 i + 1 are at slice_begin[slice] + 64 i + 2 k. What fills a row up has the value 0 and
/// a column of the row.
template <class W>
struct SlicesView {
  Offset num_rows;
  const Offset* slice_begin;  // [slices + 1]
  std::uint8_t* place;        // [slices, 32]: rows, from the first one of their window
  Bfloat16* vals;             // [entries]
  std::uint16_t* low;         // [entries]: near columns, from the base of theirs; or the first 4 bytes of two columns,
  std::uint8_t* high;         // [entries, high_bytes]: and the others, 2 or 4
  Index* bases;               // [entries / 32] of near columns
  int high_bytes;             // 0: columns are near
  W* diagonal;                // [num_rows], or null: there is none apart
};

/// The arrays. All of it is on a GPU.
template <class W>
struct NarrowSlices {
  Index num_rows = 0, num_cols = 0;
  Offset num_entries = 0;  // without what fills rows up and the diagonal
  Array<Offset> slice_begin{};
  Array<std::uint8_t> place{};
  Array<Bfloat16> vals{};
  Array<std::uint16_t> low{};
  Array<std::uint8_t> high{};
  Array<Index> bases{};
  int high_bytes = 0;
  Array<W> diagonal{};

  std::int64_t bytes() const {
    return slice_begin.bytes() + place.bytes() + vals.bytes() + low.bytes() + bases.bytes() + high.bytes() +
           diagonal.bytes();
  }
  SlicesView<W> view() const {
    auto& self = const_cast<NarrowSlices&>(*this);  // who has it const, reads
    return {num_rows,          slice_begin.data(), self.place.data(),
            self.vals.data(),  self.low.data(),    self.high.data(),
            self.bases.data(), high_bytes,         diagonal.empty() ? nullptr : self.diagonal.data()};
  }
  Traffic traffic(int num_vectors, bool reads_y) const {
    return narrow_traffic<W>({num_rows, num_cols}, bytes(), num_entries + diagonal.size(), num_vectors, reads_y);
  }
};

/// Are rows long enough and alike enough for slices?
template <class T>
bool pays_in_slices(Queue& queue, const Csr<T>& a);

/// A level's matrix in slices. Traffic: about 5 bytes per entry beside the diagonal, W on it, the vectors once.
template <class W>
class SlicedMatrix final : public NarrowMatrix<W> {
 public:
  SlicedMatrix(Queue& queue, const Csr<W>& a);
  void update(Queue& queue, const Csr<W>& a) override;
  const char* format() const override { return "rows in bfloat16"; }
  std::int64_t bytes() const override { return slices_.bytes(); }
  Device device() const override { return slices_.vals.device(); }
  Shape shape() const override { return {slices_.num_rows, slices_.num_cols}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    return slices_.traffic(num_vectors, reads_y);
  }
  bool skips_first() const override { return false; }  // gathers would be two for each entry
  void step(Queue& queue, const FusedStep<W>& step) const override;
  void residual(Queue& queue, const W* x, const FusedResidual<W>& residual) const override;

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  NarrowSlices<W> slices_;
};

/// A prolongator of nodes of one unknown, or its transpose, in slices. Traffic: 4.2 to 5 bytes per entry, the vectors
/// once.
template <class W>
class SlicedTransfer final : public Operator<W> {
 public:
  /// With the values of a prolongator: its own pattern, or the transpose with the places where it stores the entries.
  SlicedTransfer(Queue& queue, const RowPattern& pattern, const Offset* entries, const W* values);
  /// New values; the pattern is that of before.
  void update(Queue& queue, const RowPattern& pattern, const Offset* entries, const W* values);

  std::int64_t bytes() const { return slices_.bytes(); }
  Device device() const override { return slices_.vals.device(); }
  Shape shape() const override { return {slices_.num_rows, slices_.num_cols}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    return slices_.traffic(num_vectors, reads_y);
  }

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  NarrowSlices<W> slices_;
};

}  // namespace millrace::multigrid
