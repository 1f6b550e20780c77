// What kernels and host leave for each other in a mailbox, and the kernels of a halo, lane by lane on the host.
#include <bit>
#include <numeric>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/dist/halo_kernels.cuh"

namespace millrace::emulated {
template <class R>
void sum_numbers(Queue& queue, const MailboxView& mail, R* values, int count, bool hand, bool take);
}

namespace millrace::testing {
namespace {

// The memory of a mailbox, and a host that answers when it is told to.
struct Box {
  std::vector<MailboxWord> handed = std::vector<MailboxWord>(1000), answered = handed;
  std::uint32_t turns = 0;
  MailboxView view(int task) { return {handed.data(), answered.data(), &turns, task}; }

  static std::uint64_t bits_of(const MailboxWord& word) { return word.low | std::uint64_t{word.high} << 32; }
  int task() const { return static_cast<int>(bits_of(handed[0]) >> 32); }
  std::size_t count() const { return bits_of(handed[0]) & 0xffffffffu; }
  /// Every number handed over in this turn, times a factor.
  void answer(double factor) {
    const std::uint32_t turn = turns + 1;
    EXPECT_EQ(handed[0].low_turn, turn);
    for (std::size_t k = 1; k <= count(); ++k) {
      EXPECT_TRUE(handed[k].low_turn == turn && handed[k].high_turn == turn) << k;
      const auto bits = std::bit_cast<std::uint64_t>(factor * std::bit_cast<double>(bits_of(handed[k])));
      answered[k] = {static_cast<std::uint32_t>(bits), turn, static_cast<std::uint32_t>(bits >> 32), turn};
    }
    answered[0] = {0, turn, 0, turn};
  }
};

TEST(EmulatedMailbox, NumbersGoToTheHostAndComeBack) {
  Queue queue;
  Box box;
  for (const int count : {1, 31, 32, 33, 128, 129, 500}) {
    std::vector<double> values = random_vector<double>(count, 1);
    const std::vector<double> before = values;
    emulated::sum_numbers(queue, box.view(7), values.data(), count, true, false);
    EXPECT_EQ(values, before);
    EXPECT_EQ(box.task(), 7);
    EXPECT_EQ(box.count(), to_size(count));
    box.answer(3);
    emulated::sum_numbers(queue, box.view(7), values.data(), count, false, true);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 3 * before[i]);
  }
  EXPECT_EQ(box.turns, 7U);
  std::vector<float> floats{1, 2};
  emulated::sum_numbers(queue, box.view(1), floats.data(), 2, true, false);
  box.answer(0.1);
  emulated::sum_numbers(queue, box.view(1), floats.data(), 2, false, true);
  EXPECT_EQ(floats, (std::vector<float>{0.1F, 0.2F}));
}

template <class T>
class EmulatedHalo : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<double>>;
TYPED_TEST_SUITE(EmulatedHalo, Scalars);

// More rows than one round of all threads takes, none at all, and several vectors with room between them.
TYPED_TEST(EmulatedHalo, RowsArePackedTakenAndAdded) {
  using T = TypeParam;
  Queue queue;
  for (const bool backwards : {false, true})
    for (const std::int64_t count : {0, 1, 255, 1025, 9000})
      for (const int num : {1, 3}) {
        SCOPED_TRACE(join(count, " rows of ", num, " vectors"));
        emulator::backwards = backwards;
        const std::int64_t size = 2 * count + 5, stride = size + 3;
        const std::vector<T> x = random_vector<T>(stride * num, 1);
        std::vector<Index> rows(to_size(count));
        for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<Index>(2 * (rows.size() - 1 - k));
        Box box;
        std::vector<T> packed(to_size(count * num)), taken(to_size((count + 2) * num), T(7)), y = x;
        const Vectors<const T> from(Device::host(), x.data(), size, num, stride);
        emulated::pack(queue, arith(from), rows.data(), count, arith(packed.data()), box.view(4));
        EXPECT_EQ(box.task(), 4);
        EXPECT_EQ(box.count(), 0U);
        box.answer(1);
        const Vectors<T> to(Device::host(), taken.data(), count, num, count + 2);
        emulated::take(nullptr, box.view(4), arith(packed.data()), arith(to));
        EXPECT_EQ(box.turns, 1U);
        const Vectors<T> target(Device::host(), y.data(), size, num, stride);
        emulated::add_rows(queue, rows.data(), {0, 0, count},
                           arith(Vectors<const T>(Device::host(), packed.data(), count, num)), arith(target));
        for (int v = 0; v < num; ++v) {
          for (std::int64_t k = 0; k < count; ++k) {
            const T value = x[to_size(v * stride + rows[to_size(k)])];
            ASSERT_EQ(packed[to_size(v * count + k)], value);
            ASSERT_EQ(taken[to_size(v * (count + 2) + k)], value);
            ASSERT_EQ(y[to_size(v * stride + rows[to_size(k)])], value + value);
          }
          EXPECT_EQ(taken[to_size(v * (count + 2) + count)], T(7));
          EXPECT_EQ(y[to_size(v * stride + 2 * count + 1)], x[to_size(v * stride + 2 * count + 1)]);
        }
      }
}

TYPED_TEST(EmulatedHalo, BoundaryRowsAndTheirPartOfADotProduct) {
  using T = TypeParam;
  using A = Arith<T>;
  Queue queue;
  for (const std::int64_t count : {1, 511, 4000}) {
    std::vector<Index> rows(to_size(count));
    std::iota(rows.rbegin(), rows.rend(), 3);
    const std::vector<T> x = random_vector<T>(count + 9, 1), sums = random_vector<T>(count, 2);
    std::vector<T> y = random_vector<T>(count + 9, 3), before = y, dot{T(2)}, parts(256);
    const auto arrived = queue.zeros(1);
    const dim3 blocks = emulated::row_blocks(count, 1);
    emulator::launch(blocks, dim3(emulated::row_threads), 0, [&] {
      emulated::add_boundary_kernel<A>(rows.data(), count, arith(sums.data()), arith(x.data()), arith(y.data()),
                                       std::int64_t{0}, arith(dot.data()), arith(parts.data()), arrived.data());
    });
    std::complex<double> expected = 2;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto row = to_size(rows[k]);
      EXPECT_EQ(y[row], before[row] + sums[k]);
      expected += std::conj(std::complex<double>(x[row])) * std::complex<double>(sums[k]);
    }
    EXPECT_EQ(y[0], before[0]);
    EXPECT_LT(std::abs(std::complex<double>(dot[0]) - expected), sizeof(RealOf<T>) == 4 ? 1e-3 : 1e-10);
  }
}

}  // namespace
}  // namespace millrace::testing
