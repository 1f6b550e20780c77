// The own direction of an edge or face, from its vertex numbers.
#include "millrace/mesh/orientation.hpp"

#include <algorithm>

namespace millrace {
namespace {

template <class A>
auto& at(A& array, int i) {
  return array[static_cast<std::size_t>(i)];
}

}  // namespace

Oriented orient(Cell face, const std::array<Index, 4>& v) {
  if (face == Cell::segment) {
    const int reversed = v[0] > v[1];
    return {{at(v, reversed), at(v, 1 - reversed), -1, -1}, reversed};
  }
  if (face == Cell::triangle) {
    const int o = static_cast<int>(std::min_element(v.begin(), v.begin() + 3) - v.begin());
    const int low = o == 0 ? 1 : 0, high = o == 2 ? 1 : 2;
    const int swap = at(v, low) > at(v, high);
    return {{at(v, o), at(v, swap ? high : low), at(v, swap ? low : high), -1}, 2 * o + swap};
  }
  const int o = static_cast<int>(std::min_element(v.begin(), v.end()) - v.begin());
  const int along_first = o ^ 1, along_second = o ^ 2;
  const int swap = at(v, along_first) > at(v, along_second);
  return {{at(v, o), at(v, swap ? along_second : along_first), at(v, swap ? along_first : along_second), at(v, o ^ 3)},
          o + 4 * swap};
}

std::vector<int> own_to_local_map(Cell face, int code, int p) {
  std::vector<int> local;
  for (const Lattice& own : lattice(face, p))
    local.push_back(lattice_index(face, p, own_to_local(face, code, p, own[0], own[1])));
  return local;
}

}  // namespace millrace
