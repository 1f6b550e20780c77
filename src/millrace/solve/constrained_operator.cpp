// Takes constrained entries out of x, and puts them back into y; gathers and scatters are the steps of the solvers.
#include "millrace/solve/constrained_operator.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/base/sort_unique.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace {

using namespace detail;

namespace {

/// Its number of unknowns; an Error unless the operator is one that entries can be constrained of.
template <class T>
std::int64_t num_unknowns(const char* what, const Operator<T>& a) {
  const auto [rows, cols] = a.shape();
  require(rows == cols, what, ": the operator is ", rows, " x ", cols, "; it must be square");
  require<Unsupported>(!a.permutation(), what,
                       ": the operator works in an order of its own; one in the user's order is accepted");
  require<Unsupported>(rows <= std::numeric_limits<Index>::max(), what, ": ", rows,
                       " unknowns; at most 2^31 - 1 can be numbered");
  return rows;
}

/// y[entries[i]] = x[i]
template <class T>
void scatter(Queue& queue, const Array<Index>& entries, const T* x, T* y) {
  if (!entries.empty())
    sweep(queue, Comm(), entries.size(), PermuteStep<Arith<T>>(entries.data(), arith(x), arith(y), true));
}
/// y[i] = x[entries[i]]
template <class T>
void gather(Queue& queue, const Array<Index>& entries, const T* x, T* y) {
  if (!entries.empty())
    sweep(queue, Comm(), entries.size(), PermuteStep<Arith<T>>(entries.data(), arith(x), arith(y), false));
}
/// y = alpha x + beta y
template <class T>
void add(Queue& queue, std::int64_t n, T alpha, const T* x, T beta, T* y) {
  sweep(queue, Comm(), n, AddStep<Arith<T>>(arith(alpha), arith(x), arith(beta), arith(y)));
}

}  // namespace

template <class T>
ConstrainedOperator<T>::ConstrainedOperator(const OperatorRef<T>& a, std::span<const Index> entries) : a_(a) {
  const std::int64_t n = num_unknowns("constrained operator", *a);
  std::vector<Index> sorted(entries.begin(), entries.end());
  sort_unique(sorted);
  for (const Index i : sorted)
    require(0 <= i && i < n, "constrained operator: entry ", i, " was given; the unknowns are 0 to ", n - 1);
  entries_ = Array<Index>(std::span<const Index>(sorted)).to(a->device());
  zeros_ = Array<T>(std::ssize(sorted), T{0}).to(a->device());
}

template <class T>
Traffic ConstrainedOperator<T>::traffic(int num_vectors, bool reads_y) const {
  Traffic traffic = a_->traffic(num_vectors, reads_y);
  const auto held = static_cast<double>(entries_.size());
  const auto size = static_cast<double>(shape().rows);
  traffic.matrix += held * sizeof(Index);
  traffic.vectors += (2 * size + 2 * held) * sizeof(T) * num_vectors;
  return traffic;
}

template <class T>
void ConstrainedOperator<T>::diagonal(Queue& queue, Vectors<T> y) const {
  a_.diagonal(queue, y);
  if (entries_.empty()) return;
  const auto ones = queue.scratch<T>(entries_.size());
  sweep(queue, Comm(), entries_.size(), FillStep<Arith<T>>(one<Arith<T>>(), arith(ones.data())));
  scatter(queue, entries_, ones.data(), y.data);
}

template <class T>
void ConstrainedOperator<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  if (entries_.empty()) return a_->apply(queue, request);
  const std::int64_t n = shape().rows, num = entries_.size();
  const auto free = queue.scratch<T>(n);      // P x
  const auto held = queue.scratch<T>(num);    // x at the constrained entries
  const auto before = queue.scratch<T>(num);  // y there: what it has, and then what it gets
  for (int v = 0; v < request.x.num; ++v) {
    const T* x = request.x.data + v * request.x.stride;
    T* y = request.y.data + v * request.y.stride;
    add(queue, n, T{1}, x, T{0}, free.data());
    scatter(queue, entries_, zeros_.data(), free.data());
    gather(queue, entries_, x, held.data());
    if (request.beta != T{0}) gather<T>(queue, entries_, y, before.data());
    ApplyRequest<T> product = request;
    product.x = {queue.device(), free.data(), n};
    product.y = {queue.device(), y, n};
    a_->apply(queue, product);
    add<T>(queue, num, request.alpha, held.data(), request.beta, before.data());
    scatter<T>(queue, entries_, before.data(), y);
  }
}

template <class T>
void lift(Queue& queue, const Operator<T>& a, std::span<const Index> entries,
          std::type_identity_t<std::span<const T>> values, std::type_identity_t<Vectors<T>> b) {
  const std::int64_t n = num_unknowns("lift", a);
  require(entries.size() == values.size(), "lift: ", entries.size(), " constrained entries have ", values.size(),
          " values; there must be as many");
  require(b.size == n && b.num == 1, "lift: needs one right-hand side of ", n, " entries; this is ", b.num, " of ",
          b.size);
  for (std::size_t i = 0; i < entries.size(); ++i)
    require(0 <= entries[i] && entries[i] < n && (i == 0 || entries[i - 1] < entries[i]), "lift: entry ", entries[i],
            " stands at place ", i, "; entries ascend from 0 to ", n - 1);
  const Array<Index> where = Array<Index>(entries).to(queue.device());
  const Array<T> given = Array<T>(values).to(queue.device());
  const auto g = queue.scratch<T>(n);
  sweep(queue, Comm(), n, FillStep<Arith<T>>(Arith<T>{}, arith(g.data())));
  scatter(queue, where, given.data(), g.data());
  a.apply(queue, {.alpha = T{-1}, .x = {queue.device(), g.data(), n}, .beta = T{1}, .y = b});
  scatter(queue, where, given.data(), b.data);
  queue.wait();  // the copies of entries and values end here
}

template class ConstrainedOperator<float>;
template class ConstrainedOperator<double>;
template class ConstrainedOperator<std::complex<float>>;
template class ConstrainedOperator<std::complex<double>>;

template void lift(Queue&, const Operator<float>&, std::span<const Index>, std::span<const float>, Vectors<float>);
template void lift(Queue&, const Operator<double>&, std::span<const Index>, std::span<const double>, Vectors<double>);
template void lift(Queue&, const Operator<std::complex<float>>&, std::span<const Index>,
                   std::span<const std::complex<float>>, Vectors<std::complex<float>>);
template void lift(Queue&, const Operator<std::complex<double>>&, std::span<const Index>,
                   std::span<const std::complex<double>>, Vectors<std::complex<double>>);

}  // namespace millrace
