// An element operator on the host: gathers a batch of elements into lanes, works on it, and adds the result to the
// nodes in a fixed order.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/fem/element_batch.hpp"
#include "millrace/fem/element_data.hpp"
#include "millrace/fem/element_schedule.hpp"

namespace millrace {

template <class T>
struct HostElements {
  ElementBatch<T> batch;
  ElementSchedule schedule;
};
template <class T>
HostElements<T> make_host_elements(const ElementData<T>& data, const PointKernel<T>& physics);

/// y = alpha A x + beta y for one vector.
template <class T>
void apply_elements(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                    const HostElements<T>& host, T alpha, const T* x, T beta, T* y);

/// The factors of a batch of elements, read or made: for each lane [num_stored, points].
template <class T>
class BatchFactors {
 public:
  BatchFactors(const ElementData<T>& data, const PointKernel<T>& physics);
  /// Elements first .. first + count - 1; the lanes behind repeat the last one.
  const T* const* of(Index first, int count);

 private:
  const ElementData<T>& data_;
  const PointKernel<T>& physics_;
  const T* lanes_[static_cast<unsigned>(num_lanes<T>)] = {};
  std::vector<double> geometry_;
  std::vector<T> made_;  // [lanes, num_stored, points]
};

}  // namespace millrace
