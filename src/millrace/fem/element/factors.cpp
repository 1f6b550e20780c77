// Computes the factors of all elements, and takes them of elements out of their batches.
#include "millrace/fem/element/factors.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/fem/basis/lanes.hpp"

namespace millrace {

template <class T>
Array<T> store_factors(const Mesh& mesh, const CellBlock& block, const ElementMap& map, const PointKernel<T>& physics,
                       int num_threads) {
  const Index num_elem = block.num_cells();
  constexpr int L = num_lanes<T>;
  const Offset per_element = Offset{physics.num_stored} * map.num_points(), batches = (Offset{num_elem} + L - 1) / L;
  Array<T> stored(batches * L * per_element);
  std::atomic<Index> bad = std::numeric_limits<Index>::max();
  parallel(num_elem < 64 ? 1 : num_threads, [&](int thread, int count) {
    std::vector<double> work(static_cast<std::size_t>(map.work_size()));
    const auto [begin, end] = even_part(num_elem, thread, count);
    for (auto e = static_cast<Index>(begin); e < end; ++e) {
      ElementPoints at = map.evaluate(mesh.points.data(), block.nodes_of(e), work.data());
      at.element = e;
      at.group = block.tag.data()[e];
      const double smallest =
          physics.store(physics.physics.data(), at, stored.data() + Offset{e / L} * L * per_element + e % L);
      if (!(smallest > 0)) {  // the first one of all threads is named
        for (Index seen = bad; e < seen && !bad.compare_exchange_weak(seen, e);) continue;
        return;
      }
    }
  });
  check_geometry(block.cell, bad);
  const int last = static_cast<int>((num_elem + L - 1) % L);
  for (Offset i = std::max<Offset>(batches - 1, 0) * L * per_element; i < stored.size(); i += L)
    for (int l = last + 1; l < L; ++l) stored.data()[i + l] = stored.data()[i + last];
  return stored;
}

template <class T>
Array<T> factors_by_element(const ElementData<T>& data) {
  const Offset size = data.factors.empty() ? 0 : data.stored_per_element();
  const int points = data.basis.num_points(), num_stored = data.num_stored;
  Array<T> plain(data.num_elem * size);
  const Work each{.bytes = 16 * size};
  parallel_for(default_num_threads(), size > 0 ? data.num_elem : 0, each, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      const T* from = data.factors.data() + data.first_factor(static_cast<Index>(e));
      for (int q = 0; q < points; ++q)
        for (int s = 0; s < num_stored; ++s, from += num_lanes<T>) plain.data()[e * size + s * points + q] = *from;
    }
  });
  return plain;
}

template Array<float> store_factors<float>(const Mesh&, const CellBlock&, const ElementMap&, const PointKernel<float>&,
                                           int);
template Array<double> store_factors<double>(const Mesh&, const CellBlock&, const ElementMap&,
                                             const PointKernel<double>&, int);
template Array<float> factors_by_element(const ElementData<float>&);
template Array<double> factors_by_element(const ElementData<double>&);

}  // namespace millrace
