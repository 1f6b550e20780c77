// Adds up the products, the diagonals and the matrices of the blocks.
#include "millrace/fem/element_sum.hpp"

#include <algorithm>

#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/assemble.hpp"

namespace millrace {

template <class T>
ElementSum<T>::ElementSum(std::vector<ElementOperator<T>> parts) : parts_(std::move(parts)) {
  require(!parts_.empty(), "element sum: no operators were given; at least 1 is needed");
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    require(
        parts_[k].shape() == shape() && parts_[k].device() == device(), "element sum: operator ", k, " has ",
        parts_[k].shape().rows, " unknowns on ", [&] { return to_string(parts_[k].device()); }, ", the first one has ",
        shape().rows, " on ", [&] { return to_string(device()); });
    require(parts_[k].data().constrained.empty(), "element sum: operator ", k,
            " has the identity at constrained nodes; only the first may have it (ElementOptions::identity)");
  }
}

template <class T>
ElementSum<T> ElementSum<T>::to(Device target) const {
  std::vector<ElementOperator<T>> copies;
  for (const ElementOperator<T>& part : parts_) copies.push_back(part.to(target));
  return ElementSum(std::move(copies));
}

template <class T>
Traffic ElementSum<T>::traffic(int num_vectors, bool reads_y) const {
  Traffic sum = parts_.front().traffic(num_vectors, reads_y);
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    const Traffic more = parts_[k].traffic(num_vectors, reads_y);
    sum.matrix += more.matrix;
    sum.minimum += more.minimum - more.vectors;
  }
  return sum;
}

template <class T>
bool ElementSum<T>::can_transpose() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part.can_transpose(); });
}

template <class T>
void ElementSum<T>::update(Queue& queue, Vectors<const T> u) {
  for (ElementOperator<T>& part : parts_) part.update(queue, u);
}

template <class T>
void ElementSum<T>::set_given(Queue& queue, int first, const Space& space, Vectors<const T> values) {
  for (ElementOperator<T>& part : parts_) part.set_given(queue, first, space, values);
}

template <class T>
void ElementSum<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  ApplyRequest<T> next = request;
  for (const ElementOperator<T>& part : parts_) {
    part.apply(queue, next);
    next.beta = T{1};
  }
}

template <class T>
void ElementSum<T>::diagonal(Queue& queue, Vectors<T> y) const {
  const ThreadLimit limit(queue);
  parts_.front().diagonal(queue, y);
  std::vector<T> more(static_cast<std::size_t>(y.size));
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    parts_[k].diagonal(queue, more);
    for (std::int64_t i = 0; i < y.size; ++i) y.data[i] += more[static_cast<std::size_t>(i)];
  }
}

template <class T>
Csr<T> ElementSum<T>::assemble(Queue& queue) const {
  const ThreadLimit limit(queue);
  if (parts_.size() == 1) return parts_.front().assemble(queue);
  std::vector<Triplet<T>> entries;
  for (const ElementOperator<T>& part : parts_) {
    const Csr<T> a = part.assemble(queue);
    for (Index r = 0; r < a.num_rows; ++r)
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
        entries.push_back({r, a.cols.data()[k], a.vals.data()[k]});
  }
  const auto num = static_cast<Index>(shape().rows);
  return make_csr<T>(num, num, entries);
}

template <class T>
ElementSum<T> make_element_sum(const Mesh& mesh, const Space& space, const PointKernel<T>& physics,
                               ElementOptions options) {
  std::vector<ElementOperator<T>> parts;
  for (options.block = 0; options.block < std::ssize(space.blocks); ++options.block) {
    options.identity = options.block == 0;
    ElementOptions mine = options;
    if (!is_tensor(space.blocks[static_cast<std::size_t>(options.block)].cell)) mine.points.num = 0;
    parts.emplace_back(mesh, space, physics, mine);
  }
  return ElementSum<T>(std::move(parts));
}

template ElementSum<float> make_element_sum(const Mesh&, const Space&, const PointKernel<float>&, ElementOptions);
template ElementSum<double> make_element_sum(const Mesh&, const Space&, const PointKernel<double>&, ElementOptions);
template class ElementSum<float>;
template class ElementSum<double>;

}  // namespace millrace
