// Packs columns: one pass counts the groups that fit 1 and 2 bytes, a second writes the cheapest storage.
#include "millrace/sparse/format/columns.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "millrace/base/parallel.hpp"

namespace millrace {
namespace {

struct Range {
  Index low = std::numeric_limits<Index>::max(), high = -1;
  bool empty() const { return high < 0; }  // nothing but padding
  std::int64_t extent() const { return empty() ? 0 : std::int64_t{high} - low; }
};

Range range_of(std::span<const Index> group) {
  Range range;
  for (const Index c : group)
    if (c >= 0) range = {std::min(range.low, c), std::max(range.high, c)};
  return range;
}

std::int64_t num_groups(std::int64_t slots, int log2_group) {
  return (slots + (std::int64_t{1} << log2_group) - 1) >> log2_group;
}

std::span<const Index> group_of(const Array<Index>& columns, std::int64_t g, int log2_group) {
  const std::int64_t begin = g << log2_group, end = std::min(columns.size(), (g + 1) << log2_group);
  return {columns.data() + begin, static_cast<std::size_t>(end - begin)};
}

template <class I>
bool fits(const Range& range) {
  return range.extent() <= static_cast<std::int64_t>(std::numeric_limits<I>::max());
}

}  // namespace

template <class I>
Columns Columns::pack(const Array<Index>& columns, int log2_group) {
  const std::int64_t groups = num_groups(columns.size(), log2_group), group = std::int64_t{1} << log2_group;
  Columns packed;
  packed.log2_group_ = log2_group;
  packed.bases_ = Array<Index>(groups);
  Array<I> offsets(columns.size(), I{0});
  std::vector<std::int64_t> wide_groups;
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::span<const Index> members = group_of(columns, g, log2_group);
    const Range range = range_of(members);
    if (fits<I>(range)) {
      const Index base = range.empty() ? 0 : range.low;
      packed.bases_.data()[g] = base;
      for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i] >= 0)
          offsets.data()[(g << log2_group) + static_cast<std::int64_t>(i)] = static_cast<I>(members[i] - base);
    } else {
      packed.bases_.data()[g] = ~static_cast<Index>(wide_groups.size());
      wide_groups.push_back(g);
    }
  }
  packed.wide_ = Array<Index>(std::ssize(wide_groups) * group, 0);
  for (std::size_t w = 0; w < wide_groups.size(); ++w) {
    const std::span<const Index> members = group_of(columns, wide_groups[w], log2_group);
    for (std::size_t i = 0; i < members.size(); ++i)
      packed.wide_.data()[static_cast<std::int64_t>(w) * group + static_cast<std::int64_t>(i)] =
          std::max(members[i], 0);
  }
  packed.offsets_ = std::move(offsets);
  return packed;
}

Columns Columns::compressed(Array<Index> columns, int log2_group) {
  const std::int64_t groups = num_groups(columns.size(), log2_group);
  std::int64_t too_far_for_1 = 0, too_far_for_2 = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    const Range range = range_of(group_of(columns, g, log2_group));
    too_far_for_1 += fits<std::uint8_t>(range) ? 0 : 1;
    too_far_for_2 += fits<std::uint16_t>(range) ? 0 : 1;
  }
  const int width = cheapest_width(columns.size(), log2_group, too_far_for_1, too_far_for_2);
  if (width == 1) return pack<std::uint8_t>(columns, log2_group);
  if (width == 2) return pack<std::uint16_t>(columns, log2_group);
  std::replace(columns.data(), columns.data() + columns.size(), Index{-1}, Index{0});
  return Columns(std::move(columns));
}

int Columns::cheapest_width(std::int64_t slots, int log2_group, std::int64_t too_far_for_1,
                            std::int64_t too_far_for_2) {
  // A wide group counts three times: its columns are found only after its base, and the others' offsets wait with it
  // (Holstein-Hubbard and boundary slices of stencils on an H200).
  const auto bytes = [&](std::int64_t width, std::int64_t too_far) {
    return slots * width + 4 * num_groups(slots, log2_group) + 3 * 4 * (too_far << log2_group);
  };
  const std::int64_t with_1 = bytes(1, too_far_for_1), with_2 = bytes(2, too_far_for_2), with_4 = 4 * slots;
  return with_1 <= with_2 && with_1 < with_4 ? 1 : with_2 < with_4 ? 2 : 4;
}

Columns Columns::to(Device device) const {
  Columns copy;
  std::visit([&](const auto& array) { copy.offsets_ = array.to(device); }, offsets_);
  copy.bases_ = bases_.to(device);
  copy.wide_ = wide_.to(device);
  copy.log2_group_ = log2_group_;
  return copy;
}

}  // namespace millrace
