// Norms as integrals of squares.
#include "millrace/fem/norms.hpp"

#include <cmath>

#include "millrace/base/dot.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

double sum_of_squares(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return sum;
}

/// The integral of |given - exact|^2, where `part` says what of the field is compared.
template <class Part>
double error_of(Queue& queue, const FieldView& field, const VectorFunction& exact, const IntegralOptions& options,
                int num, Part&& part) {
  constexpr std::size_t few = 16;
  return std::sqrt(integrate(
      queue, field,
      [&](const FieldPoint& point) {
        double here[few] = {};
        std::vector<double> more(to_size(num) > few ? to_size(num) : 0);
        const std::span<double> wanted = more.empty() ? std::span(here).first(to_size(num)) : std::span(more);
        exact(point.x, wanted);
        const std::span<const double> given = part(point);
        double sum = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) sum += (given[i] - wanted[i]) * (given[i] - wanted[i]);
        return sum;
      },
      options));
}

/// <x, y> over all ranks, from the device where they lie.
template <class T>
double product(Queue& queue, const Operator<T>& a, Vectors<const T> x, Vectors<const T> y) {
  if (queue.device().on_host()) {
    T result{};
    dot_over_ranks(queue, a.comm(), x, y, &result);
    return static_cast<double>(result);
  }
  Array<T> result(queue, 1);
  dot(queue, x, y, result.data());
  queue.wait();
  double sum[1] = {static_cast<double>(result.to_vector()[0])};
  a.comm().sum(sum);
  return sum[0];
}

}  // namespace

double l2_norm(Queue& queue, const FieldView& field, const IntegralOptions& options) {
  return std::sqrt(integrate(
      queue, field, [](const FieldPoint& p) { return sum_of_squares(p.value); }, options));
}

double h1_seminorm(Queue& queue, const FieldView& field, const IntegralOptions& options) {
  return std::sqrt(integrate(
      queue, field, [](const FieldPoint& p) { return sum_of_squares(p.gradient); }, options));
}

double l2_error(Queue& queue, const FieldView& field, const VectorFunction& exact, const IntegralOptions& options) {
  require(exact != nullptr, "l2_error: the exact function is empty");
  return error_of(queue, field, exact, options, field.comps(), [](const FieldPoint& p) { return p.value; });
}

double l2_error(Queue& queue, const FieldView& field, const ScalarFunction& exact, const IntegralOptions& options) {
  require(exact != nullptr, "l2_error: the exact function is empty");
  require(field.comps() == 1, "l2_error: the field has ", field.comps(),
          " components; a function of the place and a span writes them all");
  const VectorFunction one = [&](const Point& x, std::span<double> value) { value[0] = exact(x); };
  return l2_error(queue, field, one, options);
}

double h1_seminorm_error(Queue& queue, const FieldView& field, const VectorFunction& exact_gradient,
                         const IntegralOptions& options) {
  require(exact_gradient != nullptr, "h1_seminorm_error: the exact gradient is empty");
  return error_of(queue, field, exact_gradient, options, field.comps() * field.dim(),
                  [](const FieldPoint& p) { return p.gradient; });
}

template <class T>
double energy_norm(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> u) {
  require(u.num == 1, "energy_norm: ", u.num, " vectors came; one is right");
  Array<T> result(queue, u.size);
  a.apply(queue, {.x = u, .y = result});
  const double square = product<T>(queue, a, u, result);
  if (square >= 0) return std::sqrt(square);
  // A vector that the operator takes to zero, but for rounding.
  const double sizes = std::sqrt(product<T>(queue, a, u, u) * product<T>(queue, a, result, result));
  require(-square <= 8 * static_cast<double>(epsilon<T>) * static_cast<double>(u.size) * sizes,
          "energy_norm: <u, A u> is ", square, "; an operator that is not negative has an energy");
  return 0;
}

template double energy_norm(Queue&, const Operator<float>&, Vectors<const float>);
template double energy_norm(Queue&, const Operator<double>&, Vectors<const double>);

}  // namespace millrace
