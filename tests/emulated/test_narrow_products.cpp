// Products with diagonals and with rows in bfloat16 against a plain loop.
#include "millrace/precond/multigrid/narrow_product.cuh"
#include "narrow_tools.hpp"

namespace millrace::testing {
namespace {

using multigrid::NarrowDiagonalsView;
using multigrid::NarrowRowsView;
using multigrid::ScaledVector;

/// By the kernel for so many diagonals, where there is one.
template <class X, class To, class W>
void launch_diagonals(const NarrowDiagonalsView<const W>& a, const emulated::DiagonalOffsets& offsets, const X& x,
                      const To& to) {
  if (a.num_diagonals == 4)
    emulated::multiply_narrow_diagonals<4, emulated::narrow_rows<W>>(a, offsets, x, to);
  else
    emulated::multiply_narrow_diagonals<0, emulated::narrow_rows<W>>(a, offsets, x, to);
}

template <class W>
void expect_narrow_diagonals(Offset n, const std::vector<Index>& offsets) {
  Random random(to_size(n) + offsets.size());
  NarrowProblem<W> p(random, n);
  std::vector<Bfloat16> vals(offsets.size() * to_size(n), Bfloat16(std::numeric_limits<float>::quiet_NaN()));
  for (std::size_t d = 0; d < offsets.size(); ++d)
    for (Offset r = std::max(Offset{0}, Offset{-offsets[d]}); r < std::min(n, n - offsets[d]); ++r) {
      const float value = static_cast<float>(random.below(511) - 255) / 128;  // eight bits
      vals[d * to_size(n) + to_size(r)] = Bfloat16(value);
      p.entries.push_back({static_cast<Index>(r), static_cast<Index>(r + offsets[d]), value});
    }
  const NarrowDiagonalsView<const W> a{n, static_cast<Index>(offsets.size()), offsets.data(), vals.data(),
                                       p.diagonal.data()};
  constexpr Offset rows = 256 * emulated::narrow_rows<W>;
  emulated::DiagonalOffsets values{};
  std::ranges::copy(offsets, values.at);
  const auto multiply = [&](const auto& x, const auto& to) {
    emulator::launch(dim3(static_cast<unsigned>((n + rows - 1) / rows)), dim3(256), 0,
                     [&] { launch_diagonals(a, values, x, to); });
  };
  expect_narrow_uses(p, multiply);

  // The first two steps from zero.
  const Guarded<W> inverse(p.inverse), b(p.b);
  const std::vector<W> expected = p.stepped(p.scaled(0.5), std::vector<double>(to_size(n), 0.0), 0.25, 0.5);
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    std::vector<W> y(to_size(n), std::numeric_limits<W>::quiet_NaN());
    FusedStep<W> step{inverse.data(), b.data()};
    step.keep = W(0.25), step.add = W(0.5), step.to = y.data();
    multiply(ScaledVector<W>{W(0.5), inverse.data(), b.data()}, step);
    EXPECT_EQ(y, expected);
  }
  emulator::backwards = false;
}

TEST(EmulatedNarrow, DiagonalsAreThoseOfAPlainLoop) {
  for (const Offset n : {1, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 3300, 4200})
    for (const std::vector<Index>& offsets :
         {std::vector<Index>{}, {-40, -1, 1, 40}, {-300, -17, -1, 1, 17, 300}, {2}, {-500, -499, -1}}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << offsets.size() << " diagonals");
      expect_narrow_diagonals<float>(n, offsets);
      expect_narrow_diagonals<double>(n, offsets);
    }
}

/// A prolongator's transpose has no diagonal apart.
template <int Width, class W>
void expect_narrow_rows(Offset n, Index most, bool has_diagonal = true) {
  Random random(to_size(n) + to_size(most));
  NarrowProblem<W> p(random, n);
  if (!has_diagonal) std::ranges::fill(p.diagonal, W{0});
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols;
  std::vector<Bfloat16> vals;
  for (Index r = 0; r < n; ++r) {
    for (Index k = random.below(most + 1); k > 0; --k) {
      const float value = static_cast<float>(random.below(511) - 255) / 128;
      cols.push_back(random.below(static_cast<Index>(n)));
      vals.push_back(Bfloat16(value));
      p.entries.push_back({r, cols.back(), value});
    }
    row_ptr.push_back(std::ssize(cols));
  }
  const NarrowRowsView<const W> a{row_ptr.data(), cols.data(), vals.data(), has_diagonal ? p.diagonal.data() : nullptr};
  constexpr Offset rows = 256 / Width;
  const auto multiply = [&](const W* x, const auto& to) {
    emulator::launch(dim3(static_cast<unsigned>((n + rows - 1) / rows)), dim3(256), 0,
                     [&] { emulated::multiply_narrow_rows<Width>(a, n, x, to); });
  };
  has_diagonal ? expect_narrow_uses(p, multiply) : expect_narrow_products(p, multiply);
}

TEST(EmulatedNarrow, RowsAreThoseOfAPlainLoop) {
  for (const Offset n : {1, 16, 17, 64, 65, 255, 257})
    for (const Index most : {3, 40}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, up to " << most << " entries");
      expect_narrow_rows<4, float>(n, most), expect_narrow_rows<4, double>(n, most);
      expect_narrow_rows<8, float>(n, most), expect_narrow_rows<8, double>(n, most);
      expect_narrow_rows<16, float>(n, most), expect_narrow_rows<16, double>(n, most);
      expect_narrow_rows<16, float>(n, most, false);
    }
}

}  // namespace
}  // namespace millrace::testing
