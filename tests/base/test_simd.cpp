// Packs of any size do what a loop over their entries would.
#include "millrace/base/simd.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "expect.hpp"

namespace millrace::testing {
namespace {

template <class T, int N>
void check_pack() {
  constexpr std::size_t size{N};
  const std::vector<T> a = random_vector<T>(N, 1), b = random_vector<T>(N, 2), x = random_vector<T>(100, 3);
  using Numbers = simd::Pack<T, N>;
  std::array<T, size> found;

  Numbers::load(a.data()).store(found.data());
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(found[i], a[i]);

  const auto column = [](int i) { return (37 * i + 5) % 100; };
  Numbers::gather(x.data(), column).store(found.data());
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(found[i], x[static_cast<std::size_t>(column(static_cast<int>(i)))]);

  Numbers sum = Numbers::load(b.data());
  sum.add_product(Numbers::load(a.data()), Numbers::load(b.data()));
  sum.add_scaled(Numbers::load(a.data()), T(3));
  int seen = 0;
  sum.for_each([&](int i, T value) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(i, seen++);
    EXPECT_NEAR(value, b[at] + a[at] * b[at] + T(3) * a[at], 8 * std::numeric_limits<T>::epsilon());
  });
  EXPECT_EQ(seen, N);
}

TEST(Simd, EverySizeUpTo33) {
  []<int... N>(std::integer_sequence<int, N...>) {
    (check_pack<double, N + 1>(), ...);
    (check_pack<float, N + 1>(), ...);
  }(std::make_integer_sequence<int, 33>{});
}

TEST(Simd, LanesBeyondTheLimitDoNotMatter) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::array<int, 7> length{3, 1, 2, 5, 0, 9, 2};
  const std::array<double, 7> ones{1, 1, 1, 1, 1, 1, 1};
  std::array<double, 7> found{};
  for (const int k : {0, 2, 4}) {
    std::array<double, 7> b{};
    for (std::size_t i = 0; i < 7; ++i) b[i] = length[i] > k ? 2.0 : nan;
    auto sum = simd::Pack<double, 7>::load(ones.data());
    sum.add_product_below(simd::Pack<double, 7>::load(length.data()), k, simd::Pack<double, 7>::load(b.data()),
                          simd::Pack<double, 7>::load(ones.data()));
    sum.store(found.data());
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(found[i], length[i] > k ? 3.0 : 1.0) << "lane " << i << ", k " << k;
  }
}

TEST(Simd, FloatsWidenExactly) {
  const std::array<float, 11> floats{0.1f, -2.5f, 3e38f, 1e-40f, 5, 6, 7, 8, 9, 10, 0.3f};
  std::array<double, 11> found{};
  simd::Pack<double, 11>::load(floats.data()).store(found.data());
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(found[i], static_cast<double>(floats[i]));
}

}  // namespace
}  // namespace millrace::testing
