// Products with levels in bfloat16 whose rows are used at once, lane by lane on the host, against a plain loop. All
// numbers are small integers times powers of two, so that every sum is exact in any order.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/fused_steps.hpp"

namespace millrace::testing {

using multigrid::FusedResidual;
using multigrid::FusedStep;
using multigrid::FusedUpdate;

/// Integers between -most and most.
template <class W>
std::vector<W> small_numbers(Random& random, Offset n, Index most) {
  std::vector<W> made(to_size(n));
  for (W& value : made) value = static_cast<W>(random.below(2 * most + 1) - most);
  return made;
}

/// A vector with NaN on both sides, where nothing may be read.
template <class W>
struct Guarded {
  static constexpr Offset margin = 512;
  std::vector<W> all;
  explicit Guarded(const std::vector<W>& values)
      : all(values.size() + 2 * to_size(margin), std::numeric_limits<W>::quiet_NaN()) {
    std::ranges::copy(values, all.begin() + margin);
  }
  const W* data() const { return all.data() + margin; }
};

/// Beside the diagonal of a matrix, for a plain loop.
struct NarrowEntry {
  Index row, column;
  float value;
};

template <class W>
struct NarrowProblem {
  Offset n;
  std::vector<W> diagonal, x, b, inverse, before;
  std::vector<NarrowEntry> entries{};

  NarrowProblem(Random& random, Offset n)
      : n(n),
        diagonal(small_numbers<W>(random, n, 7)),
        x(small_numbers<W>(random, n, 7)),
        b(small_numbers<W>(random, n, 7)),
        inverse(to_size(n)),
        before(small_numbers<W>(random, n, 7)) {
    for (W& value : inverse) value = static_cast<W>(1.0 / static_cast<double>(1 << random.below(3)));
  }

  std::vector<double> product(const std::vector<double>& with) const {
    std::vector<double> sums(to_size(n));
    for (std::size_t r = 0; r < sums.size(); ++r) sums[r] = static_cast<double>(diagonal[r]) * with[r];
    for (const NarrowEntry& e : entries) sums[to_size(e.row)] += double{e.value} * with[to_size(e.column)];
    return sums;
  }
  std::vector<double> scaled(double first) const {
    std::vector<double> made(to_size(n));
    for (std::size_t r = 0; r < made.size(); ++r)
      made[r] = first * (static_cast<double>(inverse[r]) * static_cast<double>(b[r]));
    return made;
  }
  std::vector<W> stepped(const std::vector<double>& from, const std::vector<double>& known, double keep,
                         double add) const {
    const std::vector<double> a_x = product(from);
    std::vector<W> made(to_size(n));
    for (std::size_t r = 0; r < made.size(); ++r)
      made[r] = static_cast<W>(from[r] + keep * (from[r] - known[r]) +
                               add * static_cast<double>(inverse[r]) * (static_cast<double>(b[r]) - a_x[r]));
    return made;
  }
};

/// What `multiply(x, to)` gives where it makes products, threads in both orders.
template <class W, class Multiply>
void expect_narrow_products(const NarrowProblem<W>& p, const Multiply& multiply) {
  const Guarded<W> x(p.x);
  const std::vector<double> a_x = p.product({p.x.begin(), p.x.end()});
  const std::vector<W> expected(a_x.begin(), a_x.end());
  std::vector<W> scaled(to_size(p.n));
  for (std::size_t r = 0; r < scaled.size(); ++r)
    scaled[r] = static_cast<W>(2 * a_x[r] - 3 * static_cast<double>(p.before[r]));
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    std::vector<W> y(to_size(p.n), std::numeric_limits<W>::quiet_NaN());
    multiply(x.data(), FusedUpdate<W>{W{1}, W{0}, y.data()});
    EXPECT_EQ(y, expected);
    y = p.before;
    multiply(x.data(), FusedUpdate<W>{W{2}, W{-3}, y.data()});
    EXPECT_EQ(y, scaled);
  }
  emulator::backwards = false;
}

/// With residuals and steps.
template <class W, class Multiply>
void expect_narrow_uses(const NarrowProblem<W>& p, const Multiply& multiply) {
  expect_narrow_products(p, multiply);
  const Guarded<W> x(p.x);
  const std::vector<double> wide_x(p.x.begin(), p.x.end()), wide_before(p.before.begin(), p.before.end()),
      zero(to_size(p.n), 0.0), a_x = p.product(wide_x);
  const std::vector<W> nothing(to_size(p.n), std::numeric_limits<W>::quiet_NaN());
  std::vector<W> left(to_size(p.n));
  for (std::size_t r = 0; r < left.size(); ++r) left[r] = static_cast<W>(static_cast<double>(p.b[r]) - a_x[r]);
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    std::vector<W> y = nothing;
    multiply(x.data(), FusedResidual<W>{p.b.data(), y.data()});
    EXPECT_EQ(y, left);

    FusedStep<W> step{p.inverse.data(), p.b.data(), x.data()};
    step.add = W(0.5);
    y = nothing, step.to = y.data();  // without an x before
    multiply(x.data(), step);
    EXPECT_EQ(y, p.stepped(wide_x, zero, 0, 0.5));
    step.keep = W(0.25);
    y = p.before, step.before = y.data();  // in the place of the one before
    multiply(x.data(), step);
    EXPECT_EQ(y, p.stepped(wide_x, wide_before, 0.25, 0.5));
    y = nothing, step.before = nullptr, step.first = W(0.5);  // computed
    multiply(x.data(), step);
    EXPECT_EQ(y, p.stepped(wide_x, p.scaled(0.5), 0.25, 0.5));
  }
  emulator::backwards = false;
}

}  // namespace millrace::testing
