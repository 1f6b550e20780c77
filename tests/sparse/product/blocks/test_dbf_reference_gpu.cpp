// The two steps of the dense block format's paper on a GPU against the host's loops: the same X, bit for bit, and the
// same y within the rounding bound, with padded block rows at the boundary.
#include "dbf_reference.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

/// A chain of faces: each has itself and two on either side, as far as there are; -1 pads those at the ends.
template <class T>
Dbf<T> chain(Index m, Index num_faces, Index group) {
  constexpr Index width = 5;
  std::vector<Index> neighbours;
  for (Index f = 0; f < num_faces; ++f)
    for (Index k = f - 2; k <= f + 2; ++k) neighbours.push_back(k >= 0 && k < num_faces ? k : -1);
  const auto blocks = random_vector<T>(std::int64_t{num_faces} * width * m * m, 11);
  return Dbf<T>::from_blocks(m, width, neighbours, blocks, group);
}

template <class T>
void check_gpu_steps(Index m, Index num_faces) {
  const Device gpu = Device::gpu();
  Queue queue(gpu);
  const Dbf<T> a = chain<T>(m, num_faces, num_faces), there = a.to(gpu);
  const std::vector<T> x = random_vector<T>(a.num_cols, 12);
  std::vector<T> inflated(static_cast<std::size_t>(a.neighbours.size() * m)), y(x.size());
  inflate<T>(a, x, inflated);
  contract<T>(a, inflated, y);

  const std::vector<T> poison(inflated.size(), std::numeric_limits<T>::quiet_NaN());
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(gpu);
  Array<T> inflated_there = Array<T>(std::span<const T>(poison)).to(gpu);
  Array<T> y_there = Array<T>(std::span<const T>(poison).first(y.size())).to(gpu);
  const auto run = [&] {
    if constexpr (build::cuda) {
      cuda::inflate<T>(queue, there, x_there.device_span(), inflated_there.device_span());
      cuda::contract<T>(queue, there, inflated_there.device_span(), y_there.device_span());
    }
    queue.wait();
    return y_there.to_vector();
  };
  const std::vector<T> found = run();
  EXPECT_TRUE(same_bits<T>(inflated, inflated_there.to_vector())) << m << ", " << num_faces;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto at = a.vals.data() + i;  // A[q, r, m]
    const std::size_t columns = static_cast<std::size_t>(a.width * m), face = i / static_cast<std::size_t>(m);
    double magnitude = 0;
    for (std::size_t q = 0; q < columns; ++q)
      magnitude += std::abs(static_cast<double>(at[q * y.size()]) * static_cast<double>(inflated[face * columns + q]));
    const double bound = 2 * (static_cast<double>(columns) + 2) * std::numeric_limits<T>::epsilon() * magnitude;
    ASSERT_LE(std::abs(static_cast<double>(found[i]) - static_cast<double>(y[i])), bound) << m << ", row " << i;
  }
  EXPECT_TRUE(same_bits<T>(found, run())) << "other bits in the second run";
}

TEST(GpuDbfReference, AgreesWithTheHostsTwoSteps) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  for (const Index m : {1, 3, 8, 15, 30})
    for (const Index num_faces : {1, 4, 31, 100}) {
      check_gpu_steps<float>(m, num_faces);
      check_gpu_steps<double>(m, num_faces);
    }
}

TEST(GpuDbfReference, OtherLayoutsAreRefused) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  if constexpr (build::cuda) {
    const Device gpu = Device::gpu();
    Queue queue(gpu);
    const Dbf<double> a = chain<double>(2, 9, 1).to(gpu);
    Array<double> x(gpu, 18), inflated(gpu, 90), y(gpu, 18);
    EXPECT_EQ(error_of<Unsupported>([&] { cuda::contract<double>(queue, a, inflated.device_span(), y.device_span()); }),
              "contract: the block rows are stored in groups of 1; the paper's layout has all 9 in one group");
    EXPECT_EQ(error_of([&] { cuda::inflate<double>(queue, a, x.device_span(), y.device_span()); }),
              "inflate: 18 entries are read and 90 written; the arrays have 18 and 18");
  }
}

// What the kernel relies on: with all block rows in one group, column q of row j lies at slot j + num_rows q.
TEST(DbfReference, LayoutOfAlgorithm2) {
  const Dbf<double> a = chain<double>(3, 7, 7);
  a.visit_view([&](const auto& view) {
    for (Index j = 0; j < a.num_rows; ++j)
      for (Index q = 0; q < view.length(j); ++q) ASSERT_EQ(view.slot(j, q), j + Offset{a.num_rows} * q);
  });
}

}  // namespace
}  // namespace millrace::testing
