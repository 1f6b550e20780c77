// Applies the parts of a sum one after another.
#include "millrace/solve/sum_operator.hpp"

#include <algorithm>

#include "millrace/solve/engine/steps.hpp"

namespace millrace {

using namespace detail;

template <class T>
void SumOperator<T>::add(const OperatorRef<T>& a, T factor) {
  require<Unsupported>(!a->permutation(), "sum of operators: part ", parts_.size() + 1,
                       " works in an order of its own; parts in the user's order are accepted");
  if (!parts_.empty()) {
    const Shape first = shape(), other = a->shape();
    require(first == other, "sum of operators: the first part is ", first.rows, " x ", first.cols, ", part ",
            parts_.size() + 1, " is ", other.rows, " x ", other.cols, "; all must be of one shape");
    require(
        device() == a->device(), "sum of operators: the first part lives on ", [&] { return to_string(device()); },
        ", part ", parts_.size() + 1, " on ", [&] { return to_string(a->device()); }, "; bring all to one device");
  }
  parts_.push_back({a, factor});
}

template <class T>
Traffic SumOperator<T>::traffic(int num_vectors, bool reads_y) const {
  Traffic sum;
  double vectors = 0;  // of one part: x and y once
  for (const Part& part : parts_) {
    const bool first = &part == &parts_.front();
    const Traffic one = part.a->traffic(num_vectors, !first || reads_y);
    if (first) vectors = one.vectors;
    sum.matrix += one.matrix;
    sum.vectors += one.vectors;
    sum.minimum += one.minimum - one.vectors;
    sum.halo += one.halo;
  }
  sum.minimum += vectors;
  return sum;
}

template <class T>
bool SumOperator<T>::can_transpose() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.a->can_transpose(); });
}

template <class T>
bool SumOperator<T>::has_diagonal() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.a.has_diagonal(); });
}

template <class T>
void SumOperator<T>::diagonal(Queue& queue, Vectors<T> y) const {
  const std::int64_t n = shape().rows;
  require(y.size == n && y.num == 1, "diagonal: needs one vector of ", n, " entries; this is ", y.num, " of ", y.size);
  const auto work = queue.scratch<T>(n);
  bool first = true;
  for (const Part& part : parts_) {
    part.a.diagonal(queue, {queue.device(), work.data(), n});
    sweep(queue, Comm(), n,
          AddStep<Arith<T>>(arith(part.factor), arith(work.data()), arith(first ? T{0} : T{1}), arith(y.data)));
    first = false;
  }
}

template <class T>
void SumOperator<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  ApplyRequest<T> one = request;
  for (const Part& part : parts_) {
    one.alpha = part.factor * request.alpha;
    if (request.op == Op::conjugate_transpose) {
      if constexpr (is_complex<T>) one.alpha = std::conj(part.factor) * request.alpha;
    }
    part.a->apply(queue, one);
    one.beta = T{1};
  }
}

template class SumOperator<float>;
template class SumOperator<double>;
template class SumOperator<std::complex<float>>;
template class SumOperator<std::complex<double>>;

}  // namespace millrace
