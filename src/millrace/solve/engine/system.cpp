// The checks of a solver's arguments, its work vectors, and the way into A's order and back.
#include "millrace/solve/engine/system.hpp"

#include <cmath>

#include "millrace/base/dot.hpp"
#include "millrace/base/mailbox.hpp"
#include "millrace/solve/engine/agree.hpp"
#include "millrace/solve/engine/steps.hpp"
#include "millrace/solve/identity.hpp"

namespace millrace::detail {
namespace {

template <class T>
void check(std::string_view name, const Queue& queue, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b,
           Vectors<T> x, const SolveOptions& options) {
  const auto [rows, cols] = a.shape();
  require(rows == cols, name, ": A must be square; it is ", rows, " x ", cols);
  require(m.shape() == a.shape(), name, ": the preconditioner is ", m.shape().rows, " x ", m.shape().cols,
          "; it must be ", rows, " x ", cols, " as A");
  require(b.size == rows && x.size == rows, name, ": A is ", rows, " x ", cols, ", so b and x need ", rows,
          " entries; they have ", b.size, " and ", x.size);
  require<Unsupported>(b.num == 1 && x.num == 1, name, ": one right-hand side at a time is solved; b has ", b.num,
                       " vectors and x ", x.num);
  require((b.data && x.data) || rows == 0, name, ": b or x is a null pointer");
  const auto* b_data = static_cast<const void*>(b.data);
  require(b_data != x.data || rows == 0, name, ": b and x are the same memory; the solver needs both");
  const Device here = a.device();
  const auto text = [](Device device) { return [device] { return to_string(device); }; };
  require(queue.device() == here && m.device() == here && b.device == here && x.device == here, name, ": A lives on ",
          text(here), ", so queue, preconditioner, b and x must too; they are on ", text(queue.device()), ", ",
          text(m.device()), ", ", text(b.device), " and ", text(x.device));
  require(options.tolerance >= 0 && options.absolute >= 0 && std::isfinite(options.tolerance + options.absolute), name,
          ": tolerances of ", options.tolerance, " and ", options.absolute,
          " (absolute) were asked for; finite numbers from 0 on are accepted");
  require(options.max_iterations >= 0, name, ": at most ", options.max_iterations,
          " iterations were asked for; 0 or more are accepted");
  require(!queue.capturing(), name, ": a solver looks at its residual, so it cannot be captured in a CUDA graph");
  require_sums(here, a.comm());
}

// Equal orders: the same array, or the same numbers.
void check_order(std::string_view name, const Array<Index>* a, const Array<Index>* m) {
  if (a == m || (a && m && a->size() == m->size() && a->to_vector() == m->to_vector())) return;
  require(!a, name, ": A works in a basis of its own (permutation()), the preconditioner ",
          m ? "in another one" : "in the user's", "; make it from the permuted matrix");
  require(false, name, ": the preconditioner works in a basis of its own (permutation()), A in the user's");
}

}  // namespace

template <class T>
System<T>::System(std::string_view solver, Queue& on, const Operator<T>& matrix, const Operator<T>& preconditioner,
                  Vectors<const T> rhs, Vectors<T> start, const SolveOptions& how, int num_vectors)
    : queue(on),
      a(matrix),
      m(preconditioner),
      options(how),
      name(solver),
      n(matrix.shape().rows),
      comm(matrix.comm()),
      preconditioned(dynamic_cast<const Identity<T>*>(&preconditioner) == nullptr),
      b(rhs),
      x(start),
      user_x_(start),
      order_(matrix.permutation()) {
  // Every vector begins on a boundary of 128 bytes or more, and somewhere on a rank without rows, too.
  stride_ = std::max<std::int64_t>(n + 31, 32) / 32 * 32;
  together(comm, [&] {
    check(name, queue, a, m, b, x, options);
    if (preconditioned) check_order(name, order_, m.permutation());
    work_ = Array<T>(queue, stride_ * (2 + num_vectors + (order_ ? 2 : 0)));
    if (!queue.device().on_host() && comm.size() > 1) queue.mailbox();
  });
  options.monitor = agreed_monitor(comm, how.monitor);
  r = vector(-2);
  q = vector(-1);
  plain_b_ = b;
  if (!order_) return;
  const Vectors<T> own_b = vector(num_vectors), own_x = vector(num_vectors + 1);
  sweep(queue, comm, n, PermuteStep<Arith<T>>(order_->data(), arith(b.data), arith(own_b.data), false));
  sweep(queue, comm, n, PermuteStep<Arith<T>>(order_->data(), arith(x.data), arith(own_x.data), false));
  b = plain_b_ = own_b;
  x = own_x;
}

template <class T>
Vectors<T> System<T>::vector(int k) {
  return {queue.device(), work_.data() + (k + 2) * stride_, n};
}

template <class T>
void System<T>::multiply(double factor, Vectors<const T> from, Vectors<T> to) {
  const T scale(static_cast<RealOf<T>>(factor));
  sweep(queue, comm, n, AddStep<Arith<T>>(arith(scale), arith(from.data), Arith<T>{}, arith(to.data)));
}

template <class T>
void System<T>::keep_start() {
  if (order_) return;  // the user's x is the start vector until the end
  start_ = Array<T>(queue, n);
  copy(x, {queue.device(), start_.data(), n});
}

template <class T>
void System<T>::rescale(const Scales& scales) {
  scales_ = scales;
  if (order_) sweep(queue, comm, n, PermuteStep<Arith<T>>(order_->data(), arith(user_x_.data), arith(x.data), false));
  multiply(scales.solution(), order_ ? Vectors<const T>(x) : Vectors<const T>(queue.device(), start_.data(), n), x);
  if (scaled_b_.empty()) scaled_b_ = Array<T>(queue, n);
  const Vectors<T> scaled(queue.device(), scaled_b_.data(), n);
  multiply(scales.rhs, plain_b_, scaled);
  b = scaled;
}

template <class T>
void System<T>::unscale() {
  if (scales_.solution() != 1) multiply(1 / scales_.solution(), x, x);
}

template <class T>
void System<T>::hand_back(bool start) {
  if (start && !order_) copy({queue.device(), start_.data(), n}, x);
  if (!start && order_)
    sweep(queue, comm, n, PermuteStep<Arith<T>>(order_->data(), arith(x.data), arith(user_x_.data), true));
  queue.wait();
}

template <class T>
void System<T>::apply(const Operator<T>& op, double scale, Vectors<const T> from, Vectors<T> to, Arith<T>* dot) {
  ApplyRequest<T> request{.alpha = T(static_cast<RealOf<T>>(scale)), .x = from, .y = to};
  const bool apart = comm.row_starts() != nullptr;  // what a product leaves beside its result depends on the ranks
  if (dot && !apart) {
    request.dot = DotWith::x;
    request.dot_result = reinterpret_cast<T*>(dot);
  }
  op.apply(queue, request);
  if (!dot) return;
  if (apart)
    dot_product(from, to, dot);
  else if (queue.device().on_host())
    sum_over_ranks(comm, dot, 1);
  else
    sum_on_gpu(queue, comm, dot, 1);
}

template <class T>
void System<T>::product(Vectors<const T> from, Vectors<T> to, Arith<T>* dot) {
  apply(a, scales_.matrix, from, to, dot);
}

template <class T>
void System<T>::precondition(Vectors<const T> from, Vectors<T> to, Arith<T>* dot) {
  apply(m, scales_.inverse, from, to, dot);
}

template <class T>
void System<T>::dot_product(Vectors<const T> left, Vectors<const T> right, Arith<T>* result) {
  if (queue.device().on_host()) return dot_over_ranks<T>(queue, comm, left, right, reinterpret_cast<T*>(result));
  dot<T>(queue, left, right, reinterpret_cast<T*>(result));
  sum_on_gpu(queue, comm, result, 1);
}

template <class T>
void System<T>::copy(Vectors<const T> from, Vectors<T> to) {
  copy_bytes(queue, queue.device(), to.data, queue.device(), from.data, static_cast<std::size_t>(n) * sizeof(T));
}

template <class T>
double System<T>::product_bytes(bool with_dot) const {
  return a.traffic().total() + (with_dot && !a.fuses_dot() ? 2 * vector_bytes() : 0);
}

template <class T>
double System<T>::precondition_bytes(bool with_dot) const {
  return preconditioned ? m.traffic().total() + (with_dot && !m.fuses_dot() ? 2 * vector_bytes() : 0) : 0;
}

template class System<float>;
template class System<double>;
template class System<std::complex<float>>;
template class System<std::complex<double>>;

}  // namespace millrace::detail
