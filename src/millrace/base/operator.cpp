// The checks of a request, once for all operators, and the dot product that an operator does not fuse.
#include "millrace/base/operator.hpp"

#include "millrace/base/dot.hpp"
#include "millrace/base/thread_limit.hpp"

namespace millrace {
namespace {

// First and one past the last byte that the vectors may touch.
template <class T>
std::pair<const char*, const char*> extent(const Vectors<T>& v) {
  const auto* first = reinterpret_cast<const char*>(v.data);
  const std::int64_t entries = v.size == 0 || v.num == 0 ? 0 : (v.num - 1) * v.stride + v.size;
  return {first, first + entries * static_cast<std::int64_t>(sizeof(T))};
}

template <class T>
void check(const Queue& queue, const Operator<T>& a, const ApplyRequest<T>& r) {
  const auto [rows, cols] = a.shape();
  const bool plain = r.op == Op::none;
  const std::int64_t x_size = plain ? cols : rows, y_size = plain ? rows : cols;
  require(r.x.size == x_size && r.y.size == y_size, "apply: the operator is ", rows, " x ", cols,
          plain ? ", so x needs " : " and transposed, so x needs ", x_size, " entries and y ", y_size, "; they have ",
          r.x.size, " and ", r.y.size);
  require(r.x.num == r.y.num && r.x.num >= 0, "apply: x and y need the same number of vectors; they have ", r.x.num,
          " and ", r.y.num);
  require(r.x.stride >= r.x.size && r.y.stride >= r.y.size,
          "apply: the stride of a vector is at least its length; x has ", r.x.stride, " for ", r.x.size, " entries, y ",
          r.y.stride, " for ", r.y.size);
  const Device here = a.device();
  require(
      queue.device() == here && r.x.device == here && r.y.device == here, "apply: the operator lives on ",
      [&] { return to_string(here); }, ", so queue, x and y must too; they are on ",
      [&] { return to_string(queue.device()); }, ", ", [&] { return to_string(r.x.device); }, " and ",
      [&] { return to_string(r.y.device); });
  require((r.x.data || x_size == 0 || r.x.num == 0) && (r.y.data || y_size == 0 || r.y.num == 0),
          "apply: x or y is a null pointer");
  const auto [x_first, x_last] = extent(r.x);
  const auto [y_first, y_last] = extent(r.y);
  require(x_last <= y_first || y_last <= x_first || x_first == x_last || y_first == y_last,
          "apply: x and y share memory; the result would overwrite its own input");
  require<Unsupported>(plain || a.can_transpose(), "apply: this operator has no transposed product");
  if (r.dot == DotWith::none) return;
  require(r.dot_result, "apply: a dot product was asked for, but dot_result is null");
  require(r.dot == DotWith::result || rows == cols, "apply: <x, result> needs a square operator; this one is ", rows,
          " x ", cols);
}

}  // namespace

template <class T>
void Operator<T>::apply(Queue& queue, const ApplyRequest<T>& request) const {
  const ThreadLimit limit(queue);
  require_not_moved("apply");
  check(queue, *this, request);
  if (request.y.num == 0) return;
  const bool fused = request.op == Op::none && request.y.num == 1 && request.y.size > 0 && fuses_dot();
  if (request.dot == DotWith::none || fused) return do_apply(queue, request);
  ApplyRequest<T> product = request;
  product.dot = DotWith::none;
  do_apply(queue, product);
  const Vectors<const T> result = request.y;
  dot<T>(queue, request.dot == DotWith::x ? request.x : result, result, request.dot_result);
}

template class Operator<float>;
template class Operator<double>;
template class Operator<std::complex<float>>;
template class Operator<std::complex<double>>;

}  // namespace millrace
