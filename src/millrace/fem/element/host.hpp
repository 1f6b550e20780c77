// An element operator on the host: gathers a batch of elements into lanes, works on it, and adds the result to the
// nodes in a fixed order.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/fem/element/batch.hpp"
#include "millrace/fem/element/data.hpp"
#include "millrace/fem/element/schedule.hpp"

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

/// The factors of a batch of elements, [points, num_stored, lanes]: read where they lie, or made.
template <class T>
class BatchFactors {
 public:
  BatchFactors(const ElementData<T>& data, const PointKernel<T>& physics);
  /// Elements first .. first + count - 1; the lanes after them repeat the last one.
  const T* batch(Index first, int count);

 private:
  void make_lane(Index elem, int lane);

  const ElementData<T>& data_;
  const PointKernel<T>& physics_;
  std::vector<double> geometry_;
  std::vector<T> made_;  // a batch
};

}  // namespace millrace
