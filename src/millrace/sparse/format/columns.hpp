// Column indices in 4, 2 or 1 bytes. Narrow ones are offsets from the base of their group of neighbouring slots;
// a group whose columns lie too far apart keeps 4-byte columns in a list of its own, so every matrix fits.
#pragma once

#include <string>
#include <variant>

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

/// I is Index (columns as they are), std::uint16_t or std::uint8_t.
template <class I>
struct ColumnsView {
  static constexpr bool narrow = !std::is_same_v<I, Index>;
  const I* offsets;    // [slots]
  const Index* bases;  // [groups], or ~(place in wide) of a group that does not fit
  const Index* wide;   // [wide groups, group]
  int log2_group;      // slots of a group

  MILLRACE_HD Index operator()(Offset s) const {
    if constexpr (narrow) {
      const Index base = bases[s >> log2_group];
      if (base >= 0) return base + static_cast<Index>(offsets[s]);
      return wide[(static_cast<Offset>(~base) << log2_group) + (s & ((Offset{1} << log2_group) - 1))];
    } else {
      return offsets[s];
    }
  }
  /// The column of a slot whose group holds consecutive columns: no offset is read. Narrow only.
  MILLRACE_HD Index in_run(Offset s) const {
    return bases[s >> log2_group] + static_cast<Index>(s & ((Offset{1} << log2_group) - 1));
  }
};

class Columns {
 public:
  Columns() = default;
  /// As they are; -1 marks padding.
  explicit Columns(Array<Index> columns) : offsets_(std::move(columns)) {}
  /// Narrow ones, packed elsewhere.
  template <class I>
  Columns(Array<I> offsets, Array<Index> bases, Array<Index> wide, int log2_group)
      : offsets_(std::move(offsets)), bases_(std::move(bases)), wide_(std::move(wide)), log2_group_(log2_group) {}
  /// The narrowest of the three in all bytes; padding (-1) becomes some column of the matrix. Host only.
  static Columns compressed(Array<Index> columns, int log2_group);
  /// Bytes of an index that takes the fewest in all, when so many groups do not fit 1 and 2 bytes.
  static int cheapest_width(std::int64_t slots, int log2_group, std::int64_t too_far_for_1, std::int64_t too_far_for_2);

  std::int64_t size() const {
    return std::visit([](const auto& array) { return array.size(); }, offsets_);
  }
  /// Bytes of one index.
  int width() const {
    return std::visit([]<class I>(const Array<I>&) { return static_cast<int>(sizeof(I)); }, offsets_);
  }
  std::int64_t bytes() const { return size() * width() + bases_.bytes() + wide_.bytes(); }
  Columns to(Device device) const;

  template <class F>
  decltype(auto) visit_view(F&& f) const {
    return std::visit(
        [&]<class I>(const Array<I>& offsets) -> decltype(auto) {
          return f(ColumnsView<I>{offsets.data(), bases_.data(), wide_.data(), log2_group_});
        },
        offsets_);
  }

 private:
  template <class I>
  static Columns pack(const Array<Index>& columns, int log2_group);

  std::variant<Array<Index>, Array<std::uint16_t>, Array<std::uint8_t>> offsets_;  // [slots]
  Array<Index> bases_;                                                             // [groups]
  Array<Index> wide_;                                                              // [wide groups, group]
  int log2_group_ = 0;
};

}  // namespace millrace
