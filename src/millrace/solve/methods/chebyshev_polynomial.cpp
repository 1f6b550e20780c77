// The Chebyshev iteration as a polynomial of fixed degree: a preconditioner made of products.
#include <cmath>

#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/solve/methods/chebyshev_steps.hpp"

namespace millrace {

using namespace detail;

namespace {

ChebyshevCoefficients coefficients(const SpectralBounds& bounds) {
  ChebyshevCoefficients c;
  c.center = (bounds.largest + bounds.smallest) / 2;
  c.radius = (bounds.largest - bounds.smallest) / 2;
  c.reset();
  return c;
}

}  // namespace

template <class T>
ChebyshevPolynomial<T>::ChebyshevPolynomial(const Operator<T>& a, const Operator<T>& m, SpectralBounds bounds,
                                            int degree)
    : ChebyshevPolynomial(a, bounds, degree) {
  require(a.shape() == m.shape(), "chebyshev: A and M must be of one size; they are ", a.shape().rows, " x ",
          a.shape().cols, " and ", m.shape().rows, " x ", m.shape().cols);
  if (dynamic_cast<const Identity<T>*>(&m) == nullptr) m_ = &m;
}

template <class T>
ChebyshevPolynomial<T>::ChebyshevPolynomial(const Operator<T>& a, SpectralBounds bounds, int degree)
    : a_(a), m_(nullptr), bounds_(bounds), degree_(degree) {
  require(a.shape().rows == a.shape().cols, "chebyshev: A must be square; it is ", a.shape().rows, " x ",
          a.shape().cols);
  require(degree >= 0 && 0 < bounds.smallest && bounds.smallest <= bounds.largest && std::isfinite(bounds.largest),
          "chebyshev: degree ", degree, " and eigenvalues between ", bounds.smallest, " and ", bounds.largest,
          " were given; degree >= 0 and 0 < smallest <= largest are accepted");
}

template <class T>
Traffic ChebyshevPolynomial<T>::traffic(int num_vectors, bool reads_y) const {
  const Traffic product = a_.traffic(), inverse = m_ ? m_->traffic() : Traffic{};
  const double vector = static_cast<double>(shape().rows) * sizeof(T);
  double moved = m_ ? 0 : 2;  // d = x / center
  for (int k = 1; k <= degree_; ++k) {
    const int inner = 1 < k && k < degree_, first = k == 1, last = k == degree_;
    if (m_)
      moved += 3 + (inner ? 5 : first && last ? 3 : 4);
    else
      moved += inner ? 7 : first && last ? 4 : first ? 6 : 5;
  }
  if (reads_y) moved += 3;
  const double products = degree_, inverses = degree_ + 1;
  Traffic sum;
  sum.matrix = (products * product.matrix + inverses * inverse.matrix) * num_vectors;
  sum.vectors = (products * product.vectors + inverses * inverse.vectors + moved * vector) * num_vectors;
  sum.minimum = (products * product.minimum + inverses * inverse.minimum) * num_vectors;
  return sum;
}

template <class T>
void ChebyshevPolynomial<T>::apply_one(Queue& queue, const T* x, T* y) const {
  using A = Arith<T>;
  using R = RealOf<T>;
  const std::int64_t n = shape().rows, stride = (n + 31) / 32 * 32;
  const Comm alone;  // steps without sums need no other rank
  const auto work = queue.scratch<T>(4 * stride);
  const Device device = queue.device();
  T *d = work.data(), *r = d + stride, *q = r + stride, *z = q + stride;
  ChebyshevCoefficients c = coefficients(bounds_);
  T* start = degree_ == 0 ? y : d;
  if (m_)
    m_->apply(queue, {.alpha = T(static_cast<R>(1 / c.center)), .x = {device, x, n}, .y = {device, start, n}});
  else
    sweep(queue, alone, n, AddStep<A>(arith(T(static_cast<R>(1 / c.center))), arith(x), A{}, arith(start)));
  for (int k = 1; k <= degree_; ++k) {
    a_.apply(queue, {.x = {device, d, n}, .y = {device, q, n}});
    c.next();
    ChebyshevTerm<A> term;
    term.keep = static_cast<R>(c.keep);
    term.add = static_cast<R>(c.add);
    term.from = arith(k == 1 ? x : r);
    term.q = arith(q);
    term.r = arith(r);
    term.d = arith(d);
    term.y = arith(y);
    term.first = k == 1;
    term.last = k == degree_;
    if (m_) {
      sweep(queue, alone, n, ChebyshevResidual<A>(term.from, term.q, term.r));
      m_->apply(queue, {.x = {device, r, n}, .y = {device, z, n}});
      term.q = nullptr;
      term.z = arith(z);
    }
    sweep(queue, alone, n, term);
  }
}

template <class T>
void ChebyshevPolynomial<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  const std::int64_t n = shape().rows;
  const bool plain = request.alpha == T(1) && request.beta == T(0);
  const auto result = queue.scratch<T>(plain ? 0 : n);
  for (int v = 0; v < request.x.num; ++v) {
    const T* x = request.x.data + v * request.x.stride;
    T* y = request.y.data + v * request.y.stride;
    apply_one(queue, x, plain ? y : result.data());
    if (!plain)
      sweep(queue, Comm(), n,
            AddStep<Arith<T>>(arith(request.alpha), arith(result.data()), arith(request.beta), arith(y)));
  }
}

template class ChebyshevPolynomial<float>;
template class ChebyshevPolynomial<double>;
template class ChebyshevPolynomial<std::complex<float>>;
template class ChebyshevPolynomial<std::complex<double>>;

}  // namespace millrace
