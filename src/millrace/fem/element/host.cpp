// Gather, the work of a batch, scatter; all elements by colours.
#include "millrace/fem/element/host.hpp"

namespace millrace {

template <class T>
HostElements<T> make_host_elements(const ElementData<T>& data, const PointKernel<T>& physics) {
  return {ElementBatch<T>(data.basis, physics),
          make_element_schedule(data.offsets.span(), data.num_elem, data.nodes(), data.num_nodes, num_lanes<T>)};
}

template <class T>
BatchFactors<T>::BatchFactors(const ElementData<T>& data, const PointKernel<T>& physics)
    : data_(data), physics_(physics) {
  made_.resize(static_cast<std::size_t>(num_lanes<T> * data.stored_per_element()));
  if (data.kind == GeometricFactors::recomputed) geometry_.resize(static_cast<std::size_t>(data.map.work_size()));
}

template <class T>
void BatchFactors<T>::make_lane(Index elem, int lane) {
  if (data_.kind == GeometricFactors::stored) {
    const T* from = data_.factors.data() + data_.first_factor(elem);
    for (std::size_t i = 0; i < made_.size(); i += num_lanes<T>) made_[i + static_cast<std::size_t>(lane)] = from[i];
    return;
  }
  const auto nodes = static_cast<std::size_t>(data_.map.num_nodes());
  const std::span<const Index> mine(data_.cell_nodes.data() + static_cast<std::size_t>(elem) * nodes, nodes);
  ElementPoints at = data_.map.evaluate(data_.points.data(), mine, geometry_.data());
  at.element = elem;
  at.group = data_.groups.data()[elem];
  physics_.store(physics_.physics.data(), at, made_.data() + lane);
}

template <class T>
const T* BatchFactors<T>::batch(Index first, int count) {
  constexpr int L = num_lanes<T>;
  const bool whole = first % L == 0 && count == std::min<Index>(L, data_.num_elem - first);
  if (data_.kind == GeometricFactors::stored && whole) return data_.factors.data() + data_.first_factor(first);
  for (int l = 0; l < count; ++l) make_lane(first + l, l);
  for (std::size_t i = 0; i < made_.size(); i += L)
    for (int l = count; l < L; ++l)
      made_[i + static_cast<std::size_t>(l)] = made_[i + static_cast<std::size_t>(count - 1)];
  return made_.data();
}

namespace {

template <class T>
struct Thread {
  BatchFactors<T> factors;
  std::vector<T> work;
};

/// u [comps, nodes, lanes] of elements first .. first + count - 1; constrained nodes count as 0.
template <class T>
void gather(const ElementData<T>& data, Index first, int count, const T* x, T* u) {
  constexpr int L = num_lanes<T>;
  const int nodes = data.nodes();
  const Index* offsets[static_cast<unsigned>(L)];
  for (int l = 0; l < L; ++l) offsets[l] = data.offsets.data() + Offset{first + std::min(l, count - 1)} * nodes;
  for (int c = 0; c < data.comps; ++c, x += data.comp_stride)
    for (int n = 0; n < nodes; ++n, u += L)
      for (int l = 0; l < L; ++l) {
        const Index from = offsets[l][n];
        u[l] = from < 0 ? T{0} : x[from];
      }
}

template <class T>
void scatter(const ElementData<T>& data, Index first, int count, T alpha, const T* v, T* y) {
  constexpr int L = num_lanes<T>;
  const int nodes = data.nodes();
  for (int c = 0; c < data.comps; ++c, y += data.comp_stride, v += Offset{nodes} * L)
    for (int l = 0; l < count; ++l) {
      const Index* offsets = data.offsets.data() + Offset{first + l} * nodes;
      for (int n = 0; n < nodes; ++n)
        if (offsets[n] >= 0) y[offsets[n]] = multiply_add(alpha, v[Offset{n} * L + l], y[offsets[n]]);
    }
}

}  // namespace

template <class T>
void apply_elements(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                    const HostElements<T>& host, T alpha, const T* x, T beta, T* y) {
  parallel_for(queue.num_threads(), data.num_dofs(), [&](std::int64_t begin, std::int64_t end) {
    if (is_zero(beta))
      std::fill(y + begin, y + end, T{0});
    else if (!is_one(beta))
      for (std::int64_t i = begin; i < end; ++i) y[i] *= beta;
  });
  for (int c = 0; c < data.comps; ++c)
    for (const Index n : data.constrained.span()) {
      const std::int64_t i = n + c * data.comp_stride;
      y[i] = multiply_add(alpha, x[i], y[i]);
    }
  std::vector<Thread<T>> threads;
  for (int t = 0; t < queue.num_threads(); ++t)
    threads.push_back(
        {BatchFactors<T>(data, physics), std::vector<T>(static_cast<std::size_t>(host.batch.work_size()))});
  const Work each{.bytes = std::int64_t{4 * sizeof(T)} * host.batch.work_size() / num_lanes<T>};
  host.schedule.run(queue.num_threads(), each, [&](int thread, Index begin, Index end) {
    Thread<T>& mine = threads[static_cast<std::size_t>(thread)];
    for (Index first = begin; first < end; first += num_lanes<T>) {
      const int count = std::min<Index>(num_lanes<T>, end - first);
      gather(data, first, count, x, mine.work.data());
      host.batch.apply(physics, mine.factors.batch(first, count), mine.work.data());
      scatter(data, first, count, alpha, mine.work.data(), y);
    }
  });
}

template HostElements<float> make_host_elements(const ElementData<float>&, const PointKernel<float>&);
template HostElements<double> make_host_elements(const ElementData<double>&, const PointKernel<double>&);
template class BatchFactors<float>;
template class BatchFactors<double>;
template void apply_elements(Queue&, const ElementData<float>&, const PointKernel<float>&, const HostElements<float>&,
                             float, const float*, float, float*);
template void apply_elements(Queue&, const ElementData<double>&, const PointKernel<double>&,
                             const HostElements<double>&, double, const double*, double, double*);

}  // namespace millrace
