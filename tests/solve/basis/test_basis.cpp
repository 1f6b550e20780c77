// The basis of a Krylov space: it is orthonormal to rounding, and it stands in the relations that solvers rely on.
#include "millrace/solve/basis/krylov_basis.hpp"

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

using namespace detail;

/// A few steps of Arnoldi's process on any device, and all that it left, on the host.
template <class T>
struct Process {
  using W = Wide<T>;
  int m;
  std::vector<std::vector<T>> v, u;        // [m + 1][n] the basis, [m][n] the candidates that were multiplied
  std::vector<std::complex<double>> h, s;  // [m, m + 1] column after column, [m + 1, m + 1]
  ArnoldiScalars<W> now;

  Process(Queue& queue, const Operator<T>& a, std::span<const T> start, int columns, Precision stored) : m(columns) {
    const std::int64_t n = a.shape().rows;
    const auto host_vector = [&](const Array<T>& x) { return x.to_vector(); };
    KrylovBasis<T> basis(queue, n, m + 1, stored);
    Array<T> candidate = Array<T>(start).to(queue.device()), w(queue, n);
    Array<ArnoldiScalars<W>> scalars(1);
    *scalars.data() = ArnoldiScalars<W>{};
    scalars.data()->building = 1;
    scalars = scalars.to(queue.device());
    Array<W> small(queue, arnoldi_size(m + 1));
    const auto arnoldi = make_arnoldi(m + 1, false, basis.epsilon(), basis.precision, scalars.data(), small.data());
    for (int k = 0; k < m; ++k) {
      queue.wait();
      u.push_back(host_vector(candidate));
      a.apply(queue, {.x = candidate, .y = w});
      basis.project(queue, {}, k, candidate.data(), w.data(), arnoldi);
      basis.orthogonalise(queue, k, candidate.data(), w.data(), arnoldi);
    }
    basis.project(queue, {}, m, candidate.data(), nullptr, arnoldi);
    basis.orthogonalise(queue, m, candidate.data(), nullptr, arnoldi);
    queue.wait();
    for (int k = 0; k <= m; ++k) {
      basis.take_out(queue, k, w.data());
      queue.wait();
      v.push_back(host_vector(w));
    }
    const std::vector<W> all = small.to_vector();
    const auto wide = [&](const W* from, int k, int i) -> std::complex<double> {
      const W value = all[static_cast<std::size_t>(from - small.data() + k * (m + 2) + i)];
      if constexpr (is_complex<T>)
        return {value.re, value.im};
      else
        return value;
    };
    for (int k = 0; k < m; ++k)
      for (int i = 0; i <= m; ++i) h.push_back(i <= k + 1 ? wide(arnoldi.h, k, i) : 0);
    for (int k = 0; k <= m; ++k)
      for (int i = 0; i <= m; ++i) s.push_back(i <= k ? wide(arnoldi.s, k, i) : 0);
    now = scalars.to_vector()[0];
  }
};

/// In long double: thousands of terms in double would miss the bounds by themselves.
template <class T>
std::complex<double> product(const std::vector<T>& x, const std::vector<T>& y) {
  using Long = std::complex<long double>;
  Long sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += std::conj(Long(std::complex<double>(x[i]))) * Long(std::complex<double>(y[i]));
  return std::complex<double>(sum);
}

/// |V^H V - I|, |A U - V h| and |U - V s|, each relative, entry by entry.
template <class T>
void check(const Process<T>& p, const Operator<T>& a, double bound) {
  Queue queue;
  for (std::size_t i = 0; i < p.v.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_LE(std::abs(product(p.v[i], p.v[j]) - (i == j ? 1. : 0.)), bound) << i << ' ' << j;
  const std::size_t n = p.v[0].size(), rows = p.v.size();
  for (std::size_t k = 0; k < p.u.size(); ++k) {
    std::vector<T> w(n);
    a.apply(queue, {.x = p.u[k], .y = w});
    const double w_norm = std::sqrt(std::abs(product(w, w))), u_norm = std::sqrt(std::abs(product(p.u[k], p.u[k])));
    double of_product = 0, of_candidate = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::complex<double> left(w[i]), other(p.u[k][i]);
      for (std::size_t j = 0; j < rows; ++j) {
        left -= p.h[k * rows + j] * std::complex<double>(p.v[j][i]);
        other -= p.s[k * rows + j] * std::complex<double>(p.v[j][i]);
      }
      of_product += std::norm(left), of_candidate += std::norm(other);
    }
    EXPECT_LE(std::sqrt(of_product), bound * w_norm) << k;
    EXPECT_LE(std::sqrt(of_candidate), bound * u_norm) << k;
  }
}

template <class T>
double bound(Precision stored) {
  const double epsilon = stored == Precision::single ? std::numeric_limits<float>::epsilon()
                                                     : double{std::numeric_limits<RealOf<T>>::epsilon()};
  return 40 * epsilon;
}

template <class T>
class BasisOf : public ::testing::Test {};
TYPED_TEST_SUITE(BasisOf, Scalars);

TYPED_TEST(BasisOf, IsOrthonormalToRounding) {
  using T = TypeParam;
  for (const Index side : {6, 50, 73}) {  // one part, and several
    const SparseMatrix<T> a(laplacian<T>(side, 0, RealOf<T>(0.4)), "csr");
    Queue queue;
    for (const int columns : {1, 3, 4, 5, 22})
      for (const Precision stored : {Precision::full, Precision::single})
        check(Process<T>(queue, a, random_vector<T>(side * side, 7), columns, stored), a, bound<T>(stored));
  }
}

// Powers of such a matrix are nearly parallel: classical Gram-Schmidt alone loses all orthogonality.
TYPED_TEST(BasisOf, StaysOrthonormalWhereGramSchmidtFails) {
  using T = TypeParam;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 500; ++i) entries.push_back({i, i, T(RealOf<T>(std::pow(0.8, i % 100)))});
  const SparseMatrix<T> a(make_csr(500, 500, entries), "csr");
  Queue queue;
  check(Process<T>(queue, a, random_vector<T>(500, 3), 20, Precision::full), a, bound<T>(Precision::full));
}

TYPED_TEST(BasisOf, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(150), "csr");
  const std::vector<T> start = random_vector<T>(150 * 150, 5);
  Queue one(Device::host(), 1), two(Device::host(), 2);
  const Process<T> p(one, a, start, 9, Precision::full), q(two, a, start, 9, Precision::full);
  for (std::size_t k = 0; k < p.v.size(); ++k) EXPECT_TRUE(same_bits<T>(p.v[k], q.v[k])) << k;
  EXPECT_EQ(p.h, q.h);
}

TYPED_TEST(BasisOf, EndsWhereTheSpaceMapsIntoItself) {
  using T = TypeParam;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 60; ++i) entries.push_back({i, i, T(RealOf<T>(1 + i % 3))});  // three eigenvalues
  const SparseMatrix<T> a(make_csr(60, 60, entries), "csr");
  Queue queue;
  for (const Precision stored : {Precision::full, Precision::single}) {
    const Process<T> p(queue, a, random_vector<T>(60, 1), 6, stored);
    EXPECT_EQ(p.now.invariant, 1);
    EXPECT_EQ(p.now.building, 0);
    EXPECT_EQ(p.now.columns, 3);
  }
}

TYPED_TEST(BasisOf, RotatesInPlace) {
  using T = TypeParam;
  using W = Wide<T>;
  const Index n = 1000;
  const SparseMatrix<T> a(tridiagonal<T>(n, T(-1), T(2), T(-1)), "csr");
  Queue queue;
  const int from = 7, to = 5;
  KrylovBasis<T> basis(queue, n, from);
  std::vector<std::vector<T>> before;
  for (int k = 0; k < from; ++k) {
    before.push_back(random_vector<T>(n, static_cast<std::uint64_t>(k)));
    std::copy(before.back().begin(), before.back().end(), basis.vector(k));
  }
  const std::vector<T> y = random_vector<T>(from * to, 99);
  std::vector<W> coefficients;
  for (const T& value : y) coefficients.push_back(change_type<W>(arith(value)));
  basis.rotate(queue, 0, from, to, coefficients.data());
  for (int c = 0; c < to; ++c)
    for (Index i = 0; i < n; ++i) {
      std::complex<double> sum = 0;
      for (int j = 0; j < from; ++j)
        sum += std::complex<double>(before[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]) *
               std::complex<double>(y[static_cast<std::size_t>(c * from + j)]);
      ASSERT_LE(std::abs(std::complex<double>(basis.vector(c)[i]) - sum),
                4. * from * from * std::numeric_limits<RealOf<T>>::epsilon());
    }
}

template <class T>
class GpuBasis : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(GpuBasis, Scalars);

TYPED_TEST(GpuBasis, IsOrthonormalToRounding) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  for (const Index side : {6, 33, 150, 300})
    for (const Precision stored : {Precision::full, Precision::single}) {
      const SparseMatrix<T> host(laplacian<T>(side, 0, RealOf<T>(0.4)), "csr"), a = host.to(Device::gpu());
      const std::vector<T> start = random_vector<T>(side * side, 7);
      for (const int columns : {1, 4, 13, 22}) {
        const Process<T> p(queue, a, start, columns, stored), again(queue, a, start, columns, stored);
        check(p, host, bound<T>(stored));
        for (std::size_t k = 0; k < p.v.size(); ++k) EXPECT_TRUE(same_bits<T>(p.v[k], again.v[k])) << k;
        EXPECT_EQ(p.h, again.h);
      }
    }
}

TYPED_TEST(GpuBasis, RotatesAsTheHost) {
  using T = TypeParam;
  using W = Wide<T>;
  Queue host, queue(Device::gpu());
  for (const Index n : {1, 31, 33, 5000})
    for (const auto& [from, to] : {std::pair(1, 1), std::pair(7, 5), std::pair(60, 37)}) {
      KrylovBasis<T> expected(host, n, from), found(queue, n, from);
      const std::vector<T> values = random_vector<T>(expected.stride() * from, 3), y = random_vector<T>(from * to, 4);
      std::copy(values.begin(), values.end(), expected.vector(0));
      copy_bytes(Device::gpu(), found.vector(0), Device::host(), values.data(), values.size() * sizeof(T));
      std::vector<W> small;
      for (const T& value : y) small.push_back(change_type<W>(arith(value)));
      const Array<W> on_gpu = Array<W>(std::span<const W>(small)).to(Device::gpu());
      expected.rotate(host, 0, from, to, small.data());
      found.rotate(queue, 0, from, to, on_gpu.data());
      for (int k = 0; k < to; ++k) {
        Array<T> x(queue, n);
        found.take_out(queue, k, x.data());
        queue.wait();
        const std::vector<T> out = x.to_vector();
        for (Index i = 0; i < n; ++i)
          ASSERT_LE(std::abs(out[static_cast<std::size_t>(i)] - expected.vector(k)[i]),
                    8. * from * from * std::numeric_limits<RealOf<T>>::epsilon());
      }
    }
}

}  // namespace
}  // namespace millrace::testing
