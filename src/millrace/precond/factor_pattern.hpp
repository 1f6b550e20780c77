// The pattern of incomplete factors L D U, level by level: L and U without their diagonals of ones, and the place of
// every entry of the matrix in them. Rows and columns may stand for blocks of b.
#pragma once

#include <memory>

#include "millrace/precond/levels.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

template <class T>
struct Dbf;

/// Values lie as [lower | upper | diagonal], each entry a block of b x b, column by column.
struct FactorView {
  using Entry = std::uint32_t;  // a position among the entries of a triangle
  Index num_rows;               // block rows
  Index block;                  // b
  Index num_unknowns;           // of the matrix: <= num_rows * block
  Entry num_lower, num_upper;
  const Index* order;      // [num_rows], row of the matrix
  const Entry* lower_ptr;  // [num_rows + 1]
  const Index* lower_cols;
  const Entry* upper_ptr;  // [num_rows + 1]
  const Index* upper_cols;
  const Entry* mirror;  // [num_upper] of a Hermitian matrix: its partner in the lower triangle; else null

  MILLRACE_HD Offset upper_slot(Entry e) const { return Offset{num_lower} + e; }
  MILLRACE_HD Offset diagonal_slot(Index i) const { return Offset{num_lower} + num_upper + i; }
};

class FactorPattern {
 public:
  using Entry = FactorView::Entry;

  FactorPattern() = default;
  /// From a square matrix on the host. The diagonal is always part of the pattern. `hermitian`: the entries above the
  /// diagonal are not looked at; the upper triangle is the lower one, mirrored. `order`: row k of the elimination is
  /// (block) row order[k] of the matrix; empty: as they come.
  template <class T>
  FactorPattern(const Csr<T>& a, Index block, bool hermitian, std::span<const Index> order = {});
  /// From a square matrix of dense blocks on the host, with its blocks.
  template <class T>
  explicit FactorPattern(const Dbf<T>& a, std::span<const Index> order = {});

  Device device() const { return order_.device(); }
  Index block() const { return block_; }
  Index num_rows() const { return static_cast<Index>(order_.size()); }
  Index num_unknowns() const { return num_unknowns_; }
  bool hermitian() const { return hermitian_; }
  bool of_blocks() const { return of_blocks_; }  // made from dense blocks
  Offset num_blocks() const { return lower_cols_.size() + upper_cols_.size() + order_.size(); }
  Offset num_values() const { return num_blocks() * block_ * block_; }
  Offset num_matrix_entries() const { return places_.size(); }
  /// Of the indices that a solution reads.
  std::int64_t index_bytes() const {
    return order_.bytes() + lower_ptr_.bytes() + lower_cols_.bytes() + upper_ptr_.bytes() + upper_cols_.bytes();
  }
  const Levels& levels() const { return *levels_; }  // on the host, wherever the rest is
  const Array<Offset>& places() const {
    return places_;
  }  // [num_matrix_entries], or -1: not used; of_blocks():
     // [stored blocks], place of the block, or -1: padding
  const Array<Index>& lower_columns() const { return lower_cols_; }
  const Array<Index>& order() const { return order_; }
  FactorPattern to(Device device) const;
  FactorView view() const;

  /// Refuses a matrix with other entries; on the host by a sum over all of them, on a GPU by their number.
  template <class T>
  void require_same(const char* what, const Csr<T>& a) const;
  template <class T>
  void require_same(const char* what, const Dbf<T>& a) const;
  /// The place of every entry, or -1: not used; an entry that the pattern has no place for is refused. On the host.
  template <class T>
  Array<Offset> places_of(const Csr<T>& a) const;

 private:
  void make_triangles(const BlockPattern& pattern);
  std::vector<Index> place_of_rows() const;
  Offset slot_of(Index place, Index column_place) const;  // among the blocks of the factors, or -1

  Index block_ = 1, num_unknowns_ = 0;
  bool hermitian_ = false, of_blocks_ = false;
  std::uint64_t fingerprint_ = 0;
  std::shared_ptr<const Levels> levels_ = std::make_shared<Levels>();  // shared by the copies on all devices
  Array<Index> order_, lower_cols_, upper_cols_;
  Array<Entry> lower_ptr_{0}, upper_ptr_{0}, mirror_;
  Array<Offset> places_;
};

}  // namespace millrace
