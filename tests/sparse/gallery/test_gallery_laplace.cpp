// Laplace's stencils: the eigenvalues that are known, definiteness whatever the coefficients, and their symmetry.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "millrace/sparse/gallery.hpp"
#include "sparse/gallery/test_gallery_common.hpp"

namespace millrace {
namespace {

using namespace gallery_test;

std::vector<double> product(const Csr<double>& a, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      y[static_cast<std::size_t>(r)] += a.vals.data()[k] * x[static_cast<std::size_t>(a.cols.data()[k])];
  return y;
}

// Sines with j, k, l half waves between the boundaries are eigenvectors of all four. With c = cos(j pi / (n + 1)) the
// eigenvalues are sums of 2 - 2 c along the axes, and 3^d - the product of 1 + 2 c with corners.
TEST(GalleryLaplace, HasTheEigenvaluesThatAreKnown) {
  const Index sides[] = {7, 9, 5};
  for (const char* name : {"laplace2d5", "laplace2d9", "laplace3d7", "laplace3d27"}) {
    const std::string text(name);
    const bool corners = text.ends_with("d9") || text.ends_with("27");
    const int dimension = text.find("2d") != std::string::npos ? 2 : 3;
    const double anisotropy = corners ? 1 : 3;
    const auto a =
        gallery::make(text + ":nx=7,ny=9" + (dimension == 3 ? ",nz=5" : "") + (corners ? "" : ",anisotropy=3"));
    for (const int j : {1, 2, 7})
      for (const int k : {1, 9})
        for (const int l : {1, 5}) {
          const int waves[] = {j, k, l};
          double sum = 0, all = 1;
          for (int d = 0; d < dimension; ++d) {
            const double c = std::cos(waves[d] * std::numbers::pi / (sides[d] + 1));
            sum += (d + 1 == dimension ? anisotropy : 1) * (2 - 2 * c);
            all *= (1 + 2 * c) / 3;
          }
          const double eigenvalue = corners ? std::pow(3, dimension) * (1 - all) : sum;
          std::vector<double> v(static_cast<std::size_t>(a.num_rows));
          for (Index r = 0; r < a.num_rows; ++r) {
            const Index at[] = {r % 7, r / 7 % 9, r / 63};
            double value = 1;
            for (int d = 0; d < dimension; ++d)
              value *= std::sin((at[d] + 1) * waves[d] * std::numbers::pi / (sides[d] + 1));
            v[static_cast<std::size_t>(r)] = value;
          }
          const auto y = product(a, v);
          for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(y[i], eigenvalue * v[i], 1e-13) << name;
        }
  }
}

// A weighted graph Laplacian and something positive at the boundary: <x, A x> is a sum of squares.
TEST(GalleryLaplace, IsPositiveDefiniteWhateverTheCoefficients) {
  for (const char* name : {"laplace2d5", "laplace2d9", "laplace3d7", "laplace3d27"})
    for (const char* more :
         {"", ",contrast=1e6", ",contrast=1e-6", ",anisotropy=1e4", ",contrast=50,anisotropy=0.01"}) {
      SCOPED_TRACE(std::string(name) + more);
      const auto a = gallery::make(std::string(name) + ":16" + more);
      bool boundary = false;
      for (Index r = 0; r < a.num_rows; ++r) {
        double others = 0;
        for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
          if (a.cols.data()[k] == r) continue;
          ASSERT_LT(a.vals.data()[k], 0);
          others -= a.vals.data()[k];
        }
        const double diagonal = entry(a, r, r);
        ASSERT_GE(diagonal, others * (1 - 1e-14));
        boundary = boundary || diagonal > others * (1 + 1e-6);
      }
      EXPECT_TRUE(boundary);
    }
  EXPECT_EQ(entry(gallery::make("laplace2d5:16,contrast=100"), 0, 0), 4);
  EXPECT_DOUBLE_EQ(entry(gallery::make("laplace2d5:16,contrast=100"), 2, 2), 100 * 3 + 200. / 101);
  EXPECT_EQ(entry(gallery::make("laplace2d5:16,contrast=100"), 1, 2), -200. / 101);
  EXPECT_EQ(entry(gallery::make("laplace3d7:16,anisotropy=5"), 0, 256), -5);
}

}  // namespace
}  // namespace millrace
