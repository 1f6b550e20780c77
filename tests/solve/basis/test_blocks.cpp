// A block of vectors against a Krylov basis: inner products and combinations against plain loops, the same bits for any
// number of threads, and on a GPU against the host.
#include "millrace/solve/basis/blocks.hpp"

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

using namespace detail;

/// A basis and a block of random numbers, on the host.
template <class T>
struct Blocks {
  using W = Wide<T>;
  Blocks(Index size, int vectors, int block, Precision stored)
      : n(size), k(vectors), b(block), basis(queue, n, k + b, stored), stride(basis.stride()) {
    values = random_vector<T>(stride * (k + b), 3);
    basis.visit([&]<class S>(S* v) {
      for (std::size_t i = 0; i < values.size(); ++i) v[i] = change_type<S>(arith(values[i]));
    });
    if (basis.narrow())
      for (T& value : values) value = from_arith<T>(change_type<Arith<T>>(change_type<Single<Arith<T>>>(arith(value))));
    w = random_vector<T>(stride * b, 4);
    z = random_vector<T>(stride * b, 5);
    for (const T& value : random_vector<T>((k + b) * b, 6)) y.push_back(change_type<W>(arith(value)));
  }
  Vectors<T> block(std::vector<T>& from) const { return {Device::host(), from.data(), n, b, stride}; }
  double bound(double terms) const { return 8 * terms * std::numeric_limits<RealOf<T>>::epsilon(); }

  Index n;
  int k, b;
  Queue queue;
  KrylovBasis<T> basis;
  std::int64_t stride;
  std::vector<T> values, w, z;
  std::vector<W> y;  // [b, k + b]
};

template <class T>
std::complex<double> wide(const T& value) {
  return std::complex<double>(value);
}
std::complex<double> wide(const Complex<double>& value) { return {value.re, value.im}; }

template <class F>
void for_shapes(F&& f) {
  for (const Index n : {1, 2, 31, 33, 513, 5000})
    for (const int k : {0, 1, 4, 5, 23})
      for (const int b : {1, 2, 3, 4, 5, 8})
        if (n < 600 || b == 4 || b == 7) f(n, k, b);
}

template <class T>
class BlocksOf : public ::testing::Test {};
TYPED_TEST_SUITE(BlocksOf, Scalars);

TYPED_TEST(BlocksOf, SumsAreThoseOfAPlainLoop) {
  using T = TypeParam;
  for (const Precision stored : {Precision::full, Precision::single})
    for_shapes([&](Index n, int k, int b) {
      Blocks<T> p(n, k, b, stored);
      std::vector<Wide<T>> sums(p.y.size()), again = sums;
      block_sums<T>(p.queue, {}, p.basis, k, p.block(p.w), p.block(p.z), sums.data());
      Queue one(Device::host(), 1);
      block_sums<T>(one, {}, p.basis, k, p.block(p.w), p.block(p.z), again.data());
      EXPECT_EQ(sums, again);
      for (int c = 0; c < b; ++c)
        for (int j = 0; j < k + b; ++j) {
          const T* left = j < k ? p.values.data() + j * p.stride : p.w.data() + (j - k) * p.stride;
          std::complex<double> sum = 0;
          for (Index i = 0; i < n; ++i)
            sum += std::conj(wide(left[i])) * wide(p.z[static_cast<std::size_t>(c * p.stride + i)]);
          ASSERT_LE(std::abs(wide(sums[static_cast<std::size_t>(c * (k + b) + j)]) - sum), p.bound(n))
              << n << ' ' << k << ' ' << b << ": " << c << ' ' << j;
        }
    });
}

TYPED_TEST(BlocksOf, CombinationsAreThoseOfAPlainLoop) {
  using T = TypeParam;
  for_shapes([&](Index n, int k, int b) {
    for (const bool subtract : {false, true}) {
      Blocks<T> p(n, k, b, Precision::full);
      std::vector<T> before = p.w;
      if (subtract)
        block_subtract<T>(p.queue, p.basis, k, p.block(p.w), p.y.data());
      else
        block_combine<T>(p.queue, p.basis, k, p.block(p.w), p.y.data());
      for (int c = 0; c < b; ++c)
        for (Index i = 0; i < n; ++i) {
          const auto at = [&](int row) { return static_cast<std::size_t>(row * p.stride + i); };
          std::complex<double> sum = subtract ? wide(before[at(c)]) : 0;
          for (int j = 0; j < k + b; ++j) {
            const auto y = wide(p.y[static_cast<std::size_t>(c * (k + b) + j)]);
            if (j < k)
              sum += (subtract ? -y : y) * wide(p.values[at(j)]);
            else if (!subtract)
              sum += y * wide(before[at(j - k)]);
          }
          ASSERT_LE(std::abs(wide(p.w[at(c)]) - sum), p.bound(4. * (k + b))) << n << ' ' << k << ' ' << b;
        }
    }
    Blocks<T> inside(n, k, b, Precision::full), beside(n, k, b, Precision::full);
    block_combine<T>(inside.queue, inside.basis, k, inside.block(inside.w), inside.y.data(), k);
    block_combine<T>(beside.queue, beside.basis, k, beside.block(beside.w), beside.y.data());
    for (int c = 0; c < b; ++c)
      for (Index i = 0; i < n; ++i)
        ASSERT_EQ(inside.basis.vector(k + c)[i], beside.w[static_cast<std::size_t>(c * beside.stride + i)]);
  });
}

template <class T>
class GpuBlocks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(GpuBlocks, Scalars);

TYPED_TEST(GpuBlocks, DoWhatTheHostDoes) {
  using T = TypeParam;
  using W = Wide<T>;
  const Device gpu = Device::gpu();
  Queue queue(gpu);
  for (const Precision stored : {Precision::full, Precision::single})
    for_shapes([&](Index n, int k, int b) {
      Blocks<T> p(n, k, b, stored);
      KrylovBasis<T> basis(queue, n, k + b, stored);
      basis.visit([&]<class S>(S* to) {
        p.basis.visit([&]<class From>(From* from) {
          copy_bytes(gpu, to, Device::host(), from, static_cast<std::size_t>(p.stride * (k + b)) * sizeof(From));
        });
      });
      Array<T> w = Array<T>(std::span<const T>(p.w)).to(gpu), z = Array<T>(std::span<const T>(p.z)).to(gpu);
      const Vectors<T> block(gpu, w.data(), n, b, p.stride), other(gpu, z.data(), n, b, p.stride);
      Array<W> sums(gpu, std::ssize(p.y)), again(gpu, sums.size());
      block_sums<T>(queue, {}, basis, k, block, other, sums.data());
      block_sums<T>(queue, {}, basis, k, block, other, again.data());
      queue.wait();
      std::vector<W> expected(p.y.size());
      block_sums<T>(p.queue, {}, p.basis, k, p.block(p.w), p.block(p.z), expected.data());
      const std::vector<W> found = sums.to_vector();
      EXPECT_EQ(found, again.to_vector());
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_LE(std::abs(wide(found[i]) - wide(expected[i])), p.bound(n)) << n << ' ' << k << ' ' << b << ": " << i;
      const Array<W> y = Array<W>(std::span<const W>(p.y)).to(gpu);
      for (const int what : {0, 1, 2}) {
        if (what == 0) {
          block_subtract<T>(queue, basis, k, block, y.data());
          block_subtract<T>(p.queue, p.basis, k, p.block(p.w), p.y.data());
        } else {
          block_combine<T>(queue, basis, k, block, y.data(), what == 1 ? -1 : k);
          block_combine<T>(p.queue, p.basis, k, p.block(p.w), p.y.data(), what == 1 ? -1 : k);
        }
      }
      Array<T> x(queue, n);
      for (int c = 0; c < b; ++c) {
        std::vector<T> host(static_cast<std::size_t>(n));
        basis.take_out(queue, k + c, x.data());
        p.basis.take_out(p.queue, k + c, host.data());
        queue.wait();
        const std::vector<T> out = x.to_vector();
        const double scale = 4. * (k + b) * (k + b) * (k + b);  // three combinations grow the numbers and the errors
        for (std::size_t i = 0; i < out.size(); ++i)
          ASSERT_LE(std::abs(wide(out[i]) - wide(host[i])), 4 * scale * p.basis.epsilon()) << n << ' ' << k << ' ' << b;
      }
    });
}

}  // namespace
}  // namespace millrace::testing
