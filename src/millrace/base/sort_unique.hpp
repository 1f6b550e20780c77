// Lists as sets: ascending, and everything once.
#pragma once

#include <algorithm>
#include <vector>

namespace millrace {

/// Sorts the list and drops what stands in it again.
template <class T>
void sort_unique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace millrace
