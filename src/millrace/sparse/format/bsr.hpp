// Blocked CSR: the matrix is cut into b x b blocks, and every block that holds an entry is stored whole, column by
// column. One index serves b * b values; positions of a block that are no entries become stored zeros (fill).
#pragma once

#include <string>
#include <vector>

#include "millrace/base/search.hpp"
#include "millrace/sparse/block_format.hpp"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/members.hpp"

namespace millrace {

template <class T>
struct BsrView {
  using value_type = T;
  static constexpr bool interleaved = true;
  static constexpr bool may_be_uniform = false;
  Index num_rows, num_cols;
  Offset num_entries;       // real ones
  Index block;              // b
  const Offset* block_ptr;  // [num_block_rows + 1], blocks before every block row
  const Index* block_cols;  // [num_blocks], ascending in a block row
  const T* vals;            // [num_blocks, b, b], every block column by column

  MILLRACE_HD Index num_block_rows() const {
    return static_cast<Index>((static_cast<Offset>(num_rows) + block - 1) / block);
  }
  MILLRACE_HD Offset blocks_before(Index block_row) const { return block_ptr[block_row]; }

  /// Stored positions inside the matrix, fill included. Only the last block can reach beyond the right edge.
  MILLRACE_HD Index length(Index r) const {
    const Offset begin = block_ptr[r / block], end = block_ptr[r / block + 1];
    if (begin == end) return 0;
    const Offset beyond = (static_cast<Offset>(block_cols[end - 1]) + 1) * block - num_cols;
    return static_cast<Index>((end - begin) * block - (beyond > 0 ? beyond : 0));
  }
  MILLRACE_HD Offset slot(Index r, Index k) const {
    return (block_ptr[r / block] + k / block) * block * block + k % block * block + r % block;
  }
  MILLRACE_HD Index column(Offset s) const {
    const Offset area = static_cast<Offset>(block) * block;
    return block_cols[s / area] * block + static_cast<Index>(s % area) / block;
  }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
  MILLRACE_HD Index output_row(Index r) const { return r; }
  MILLRACE_HD Offset slots_before(Index r) const {  // a block row counts from its second row on
    return block_ptr[(static_cast<Offset>(r) + block - 1) / block] * block * block;
  }
  /// Where that position is stored, or -1.
  MILLRACE_HD Offset find(Index row, Index column) const {
    const Index wanted = column / block;
    const Offset end = block_ptr[row / block + 1], at = first_at_least(block_cols, block_ptr[row / block], end, wanted);
    if (at == end || block_cols[at] != wanted) return -1;
    return at * block * block + column % block * block + row % block;
  }

  MILLRACE_HD static constexpr bool contiguous() { return true; }  // columns of a block row follow each other
  MILLRACE_HD BlockRow<T> block_row(Index i) const {
    const Offset first = block_ptr[i];
    return {vals + first * block * block, block_cols + first, static_cast<Index>(block_ptr[i + 1] - first), block,
            i * block};
  }
  MILLRACE_HD BlockRow<T> stored_block_row(Index i) const { return block_row(i); }  // there is no padding
  MILLRACE_HD static constexpr UniformBlocks<T> uniform_blocks() { return {}; }
  MILLRACE_HD Index max_columns() const { return num_cols; }
};
static_assert(BlockFormat<BsrView<double>> && BlockFormat<BsrView<Complex<double>>>);

template <class T>
struct Bsr {
  using value_type = T;
  using BlockView = BsrView<Arith<T>>;
  static constexpr const char* name = "bsr";
  static constexpr const char* parameters = "-B";  // "bsr-5"; "bsr" alone finds the size with the fewest bytes
  static constexpr bool is_row_format = true;
  static constexpr bool converts_on_gpu = true;
  static constexpr bool has_fill = true;
  static constexpr Index max_block = 32;

  Index num_rows = 0, num_cols = 0;
  Index block = 1;
  Offset entries = 0;
  Array<Offset> block_ptr{0};  // [num_block_rows + 1]
  Array<Index> block_cols;     // [num_blocks]
  Array<T> vals;               // [num_blocks, b, b]
  Array<std::uint64_t> real;   // one bit per slot: was it an entry? Empty when all were

  static Bsr from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted = {});
  static Bsr from_csr(const Csr<T>& a, const FormatSpec& spec) { return from_csr_and_wait<Bsr>(a, spec); }
  /// The size that a text asks for, or 0: to be found.
  static Index asked_block(const FormatSpec& spec);
  static std::vector<Index> possible_sizes(Index num_rows, Index num_cols);  // of blocks, ascending
  Bsr to(Device device) const { return copy_to(*this, device); }

  template <class F>
  static void for_each_member(F&& f) {
    f(&Bsr::num_rows), f(&Bsr::num_cols), f(&Bsr::block), f(&Bsr::entries), f(&Bsr::block_ptr), f(&Bsr::block_cols);
    f(&Bsr::vals), f(&Bsr::real);
  }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return entries; }
  Footprint footprint() const;
  std::string details() const;
  bool is_real(Offset slot) const {  // host only
    return real.empty() || (real.data()[slot / 64] >> (slot % 64) & 1) != 0;
  }

  template <class F>
  decltype(auto) visit_view(F&& f) const {
    return f(view_with(arith(vals.data())));
  }
  /// The view of addresses alone, the same type for all scalars.
  template <class F>
  decltype(auto) visit_pattern(F&& f) const {
    return f(view_with(static_cast<const float*>(nullptr)));
  }

 private:
  template <class A>
  BsrView<A> view_with(const A* values) const {
    return {num_rows, num_cols, entries, block, block_ptr.data(), block_cols.data(), values};
  }
};

// What conversion to dense blocks shares, in BSR and DBF.

/// The blocks of one size that hold an entry.
struct BlockPattern {
  Index size = 1;
  Array<Offset> block_ptr;  // [num_block_rows + 1]
  Array<Index> block_cols;  // [num_blocks], ascending in a block row

  Index num_block_rows() const { return static_cast<Index>(block_ptr.size() - 1); }
  Offset num_blocks() const { return block_cols.size(); }
  double stored_bytes(std::size_t value_bytes) const;  // of all blocks and their indices
};

/// Of one block and its index.
inline double block_bytes(Index size, std::size_t value_bytes) {
  return static_cast<double>(size) * size * static_cast<double>(value_bytes) + sizeof(Index);
}

/// Refuses blocks of BSR that would take far more memory than CSR; on any device.
template <class T>
void require_reasonable_blocks(const Csr<T>& a, const BlockPattern& pattern);

/// 1, or the one of these sizes (ascending) that takes the fewest bytes for blocks and their indices. count(size,
/// limit) says how many blocks there are, or some number above the limit. Sizes are tried from the largest down. A size
/// is given up as soon as its blocks take more bytes than the best so far, and not tried when even full blocks would:
/// wrong sizes cost little.
template <class Count>
Index choose_block_size(Offset num_entries, std::size_t value_bytes, std::span<const Index> sizes, Count&& count) {
  const auto entries = static_cast<double>(num_entries);
  Index best = 1;
  double fewest = entries * block_bytes(1, value_bytes);
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    const double area = static_cast<double>(*size) * *size, a_block = block_bytes(*size, value_bytes);
    if (entries / area * a_block >= fewest) continue;
    const auto bytes = static_cast<double>(count(*size, static_cast<Offset>(fewest / a_block))) * a_block;
    if (bytes >= fewest) continue;
    fewest = bytes;
    best = *size;
  }
  return best;
}
/// Where the blocks of a block row go: entry (i, j) of its block k to slot first + (k * size + j) * stride + i.
struct BlockPlace {
  Offset first, stride;
};

/// The blocks of that size that hold an entry. Refuses a row that has a column twice; `what` is for the error. Host
/// only.
template <class T>
BlockPattern make_block_pattern(std::string_view what, const Csr<T>& a, Index size);

namespace host {

void multiply(int num_threads, const BsrView<float>& a, float alpha, const Vectors<const float>& x, float beta,
              const Vectors<float>& y);
void multiply(int num_threads, const BsrView<double>& a, double alpha, const Vectors<const double>& x, double beta,
              const Vectors<double>& y);

}  // namespace host
}  // namespace millrace
