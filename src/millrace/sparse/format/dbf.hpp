// The dense block format (Roca, Nguyen, Peraire 2011): square blocks of m x m, the same number of them in every block
// row, so that a table of block columns is all the index there is. Made for the trace systems of hybridizable DG (one
// block row per face), and as good for any matrix of element blocks (an element, its neighbours and itself).
#pragma once

#include "millrace/sparse/format/bsr.hpp"

namespace millrace {

/// Block rows that have the same number of stored blocks, from `first` up to the first of the next section.
struct DbfSection {
  Index first;             // block row in stored order
  Index width;             // blocks per block row
  Offset first_slot;       // into vals
  Offset first_neighbour;  // into neighbours
};

/// Column q of block row f (in stored order) lies at slot i + m (f % G + G (q + width m (f / G))) of its section, for
/// i = 0 .. m - 1, with f counted inside the section. A last smaller group has its own size in place of G.
template <class T>
struct DbfView {
  using value_type = T;
  static constexpr bool interleaved = true;
  static constexpr bool may_be_uniform = true;  // where block rows begin is known without a look
  Index num_rows, num_cols;
  Offset num_entries;  // real ones
  Index block;         // m
  Index group;         // G, block rows that are stored together
  Index width;         // the most blocks of a block row; where there is one section, of every one
  Index num_sections;
  const DbfSection* sections;  // [num_sections + 1], the last marks the end
  const Index* neighbours;     // [block rows, width] of every section: block columns ascending, then -1 (padding)
  const Index* row_blocks;     // [num_block_rows], blocks without padding; null: all
  const Index* block_row_of;   // [num_block_rows], block row of the matrix; null: its own
  const Index* place_of;       // [num_block_rows], the inverse; null: its own
  const T* vals;

  MILLRACE_HD Index num_block_rows() const { return num_rows / block; }

  MILLRACE_HD Index section_of(Index f) const {
    return last_where(Index{0}, num_sections, [&](Index i) { return sections[i].first <= f; });
  }
  MILLRACE_HD Index blocks_of(Index f) const { return row_blocks ? row_blocks[f] : sections[section_of(f)].width; }

  /// First slot of a block row, and the distance of its columns.
  struct Place {
    Offset first, stride;
  };
  MILLRACE_HD Place place(Index f) const {
    const Index number = section_of(f);
    const DbfSection section = sections[number];
    const Offset area = static_cast<Offset>(section.width) * block * block;  // slots of a block row
    const Index local = f - section.first;
    if (group == 1) return {section.first_slot + local * area, block};
    const Index inside = local % group, begin = local - inside;
    return {section.first_slot + begin * area + static_cast<Offset>(inside) * block,
            static_cast<Offset>(block) * group_size(number, begin)};
  }
  /// Block rows in the group that begins with block row `begin` of a section.
  MILLRACE_HD Index group_size(Index section, Index begin) const {
    const Index left = sections[section + 1].first - sections[section].first - begin;
    return left < group ? left : group;
  }

  MILLRACE_HD Index length(Index r) const { return blocks_of(r / block) * block; }  // fill included, padding not
  MILLRACE_HD Offset slot(Index r, Index k) const {
    const Place at = place(r / block);
    return at.first + k * at.stride + r % block;
  }
  MILLRACE_HD Index column(Offset s) const {
    const Index number = last_where(Index{0}, num_sections, [&](Index i) { return sections[i].first_slot <= s; });
    const DbfSection section = sections[number];  // the last that begins at s or before
    const Offset area = static_cast<Offset>(section.width) * block * block, local = s - section.first_slot;
    const auto begin = static_cast<Index>(local / (area * group)) * group;
    const Offset in_group = local - begin * area, stride = static_cast<Offset>(block) * group_size(number, begin);
    const auto q = static_cast<Index>(in_group / stride);
    const Index f = begin + static_cast<Index>(in_group % stride) / block;
    return neighbours[section.first_neighbour + static_cast<Offset>(f) * section.width + q / block] * block + q % block;
  }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
  MILLRACE_HD Index output_row(Index r) const { return block_row_of ? block_row_of[r / block] * block + r % block : r; }
  MILLRACE_HD Offset slots_before(Index r) const { return blocks_before(r / block) * block * block; }
  MILLRACE_HD Offset blocks_before(Index f) const {  // padding included
    const DbfSection& section = sections[section_of(f)];
    return section.first_neighbour + static_cast<Offset>(f - section.first) * section.width;
  }
  MILLRACE_HD const Index* neighbours_of(Index f) const { return neighbours + blocks_before(f); }

  /// Where that position of the matrix is stored, or -1.
  MILLRACE_HD Offset find(Index row, Index column) const {
    const Index f = place_of ? place_of[row / block] : row / block;
    const Index *cols = neighbours_of(f), wanted = column / block;
    const Index end = blocks_of(f), k = first_at_least(cols, Index{0}, end, wanted);
    if (k == end || cols[k] != wanted) return -1;
    const Place at = place(f);
    return at.first + (static_cast<Offset>(k) * block + column % block) * at.stride + row % block;
  }

  /// Do the columns of a block row follow each other?
  MILLRACE_HD bool contiguous() const { return group == 1; }
  MILLRACE_HD BlockRow<T> block_row(Index f) const {
    const Place at = place(f);
    return {vals + at.first, neighbours_of(f), blocks_of(f), at.stride, (block_row_of ? block_row_of[f] : f) * block};
  }
  /// With its padding, whose block columns are -1 and whose values are zeros: one load less to wait for. Contiguous
  /// only.
  MILLRACE_HD BlockRow<T> stored_block_row(Index f) const {
    const DbfSection section = num_sections == 1 ? DbfSection{0, width, 0, 0} : sections[section_of(f)];
    const Offset before = static_cast<Offset>(f - section.first) * section.width;  // blocks in the section
    return {vals + section.first_slot + before * block * block, neighbours + section.first_neighbour + before,
            section.width, block, (block_row_of ? block_row_of[f] : f) * block};
  }
  MILLRACE_HD UniformBlocks<T> uniform_blocks() const {
    if (num_sections != 1 || group != 1 || block_row_of) return {};
    return {vals, neighbours, width};
  }
  MILLRACE_HD Index max_columns() const { return width * block; }
};
static_assert(BlockFormat<DbfView<double>> && BlockFormat<DbfView<Complex<double>>>);

/// What a text asks for.
struct DbfShape {
  Index block = 0;  // m; 0: to be found
  Index group = 1;  // G
  bool apart = false;
};

template <class T>
struct Dbf {
  using value_type = T;
  using BlockView = DbfView<Arith<T>>;
  static constexpr const char* name = "dbf";
  static constexpr const char* parameters = "-M-G";  // and a word: "dbf", "dbf-8", "dbf-8-64", "dbf-8-apart"
  static constexpr bool is_row_format = true;
  static constexpr bool converts_on_gpu = true;
  static constexpr bool has_fill = true;
  static constexpr Index max_block = 1024;

  Index num_rows = 0, num_cols = 0;
  Index block = 1;  // m
  Index group = 1;  // G
  Index width = 0;  // na, the most blocks per block row has
  Offset entries = 0;
  Offset num_real_blocks = 0;  // without padding
  Array<DbfSection> sections{DbfSection{},
                             DbfSection{}};  // [num_sections + 1]; "apart": one section per number of blocks
  Array<Index> neighbours;    // [block rows, width] of every section: block columns ascending, then -1 (padding)
  Array<Index> row_blocks;    // [num_block_rows], blocks without padding, or empty when there is none
  Array<Index> block_row_of;  // [num_block_rows], block row of the matrix, or empty when none has moved
  Array<Index> place_of;      // [num_block_rows], the inverse, or empty
  Array<T> vals;              // [groups, width m, block rows of a group, m] of every section
  Array<std::uint64_t> real;  // one bit per slot: was it an entry? Empty when all were

  static Dbf from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted = {});
  static Dbf from_csr(const Csr<T>& a, const FormatSpec& spec) { return from_csr_and_wait<Dbf>(a, spec); }
  static DbfShape asked(const FormatSpec& spec);
  /// All sizes of blocks that divide rows and columns, ascending.
  static std::vector<Index> possible_sizes(Index num_rows, Index num_cols);
  /// A square matrix from blocks at hand: neighbours [num_block_rows, na], blocks [num_block_rows, na, m, m], every
  /// block column by column. Neighbours may come in any order; -1 is padding, and its block is not read.
  static Dbf from_blocks(Index m, Index na, std::span<const Index> neighbours, std::span<const T> blocks,
                         Index group = 1, bool apart = false);
  Dbf to(Device device) const { return copy_to(*this, device); }

  template <class F>
  static void for_each_member(F&& f) {
    f(&Dbf::num_rows), f(&Dbf::num_cols), f(&Dbf::block), f(&Dbf::group), f(&Dbf::width), f(&Dbf::entries);
    f(&Dbf::num_real_blocks), f(&Dbf::sections), f(&Dbf::neighbours), f(&Dbf::row_blocks), f(&Dbf::block_row_of);
    f(&Dbf::place_of), f(&Dbf::vals), f(&Dbf::real);
  }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return vals.device(); }
  Offset num_entries() const { return entries; }
  Index num_block_rows() const { return num_rows / block; }
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
  DbfView<A> view_with(const A* values) const {
    return {num_rows,
            num_cols,
            entries,
            block,
            group,
            width,
            static_cast<Index>(sections.size() - 1),
            sections.data(),
            neighbours.data(),
            pointer(row_blocks),
            pointer(block_row_of),
            pointer(place_of),
            values};
  }
  static const Index* pointer(const Array<Index>& array) { return array.empty() ? nullptr : array.data(); }
};

// What the conversion refuses; on any device.

/// Rows or columns that blocks of m do not divide.
template <class T>
void require_multiple(const Csr<T>& a, Index m);
/// Blocks that would take far more memory than CSR. `width`: the most blocks per block row has.
template <class T>
void require_reasonable_table(const Csr<T>& a, const BlockPattern& pattern, Index width, bool apart);

namespace host {

/// y = alpha (A + I) x + beta y with plus_x, for blocks whose diagonal is the identity and not stored.
void multiply(int num_threads, const DbfView<float>& a, float alpha, const Vectors<const float>& x, float beta,
              const Vectors<float>& y, bool plus_x = false);
void multiply(int num_threads, const DbfView<double>& a, double alpha, const Vectors<const double>& x, double beta,
              const Vectors<double>& y, bool plus_x = false);

}  // namespace host
}  // namespace millrace
