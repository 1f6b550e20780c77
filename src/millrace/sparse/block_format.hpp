// Formats of dense square blocks: what the kernels of block rows may ask of a view. BSR and DBF satisfy it; a new block
// format that does is served by the same kernels.
#pragma once

#include "millrace/sparse/row_format.hpp"

namespace millrace {

/// One block row as kernels see it: entry (i, j) of block k is vals[(k * b + j) * stride + i].
template <class T>
struct BlockRow {
  const T* vals;
  const Index* cols;  // [num_blocks], block columns
  Index num_blocks;
  Offset stride;    // from column to column: b, or more where block rows are stored in groups
  Index first_row;  // of y
};

/// Contiguous block rows of one width, in the order of the matrix; false: the format has not stored them so.
template <class T>
struct UniformBlocks {
  const T* vals = nullptr;      // [num_block_rows, width, b, b], every block column by column
  const Index* cols = nullptr;  // [num_block_rows, width], block columns; -1 is padding
  Index width = 0;              // blocks of a block row
  MILLRACE_HD constexpr explicit operator bool() const { return width > 0; }
};

/// Block rows are counted in stored order.
template <class V>
concept BlockFormat = RowFormat<V> && requires(const V v, Index i) {
  { v.block } -> std::convertible_to<Index>;  // b
  { v.num_block_rows() } -> std::same_as<Index>;
  { v.blocks_before(i) } -> std::same_as<Offset>;                        // never falls with i; balances the threads
  { v.block_row(i) } -> std::same_as<BlockRow<typename V::value_type>>;  // without padding
  { v.stored_block_row(i) } -> std::same_as<BlockRow<typename V::value_type>>;  // with padding; contiguous only
  { v.contiguous() } -> std::same_as<bool>;            // do columns of a block row follow each other?
  { V::may_be_uniform } -> std::convertible_to<bool>;  // else no kernel is compiled for uniform_blocks()
  { v.uniform_blocks() } -> std::same_as<UniformBlocks<typename V::value_type>>;
  { v.max_columns() } -> std::same_as<Index>;  // of a stored block row, as far as that is known without a look
};

/// Is the format one of dense blocks? It names its view then.
template <class Format>
inline constexpr bool is_block_format = requires { requires BlockFormat<typename Format::BlockView>; };

}  // namespace millrace
