// The Holstein-Hubbard matrix: counts in closed form, and the physics against a second, dense construction.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/gallery/ring.hpp"
#include "sparse/gallery/test_gallery_common.hpp"

#ifdef MILLRACE_TEST_EIGEN
#include <Eigen/Eigenvalues>
#endif

namespace millrace {
namespace {

using namespace gallery_test;
using gallery::binomial;

/// Pairs of an electron state (3 + 3 on 6 sites) and a mode that couple, in integers: the modes are multiples of
/// (2 1 -1 -2 -1 1), (0 1 1 0 -1 -1), (2 -1 -1 2 -1 -1), (0 1 -1 0 1 -1) and (1 -1 1 -1 1 -1).
std::int64_t count_coupled_pairs() {
  const int modes[5][6] = {
      {2, 1, -1, -2, -1, 1}, {0, 1, 1, 0, -1, -1}, {2, -1, -1, 2, -1, -1}, {0, 1, -1, 0, 1, -1}, {1, -1, 1, -1, 1, -1}};
  std::int64_t count = 0;
  for (unsigned up = 0; up < 64; ++up)
    for (unsigned down = 0; down < 64; ++down) {
      if (std::popcount(up) != 3 || std::popcount(down) != 3) continue;
      for (const auto& mode : modes) {
        int sum = 0;
        for (int j = 0; j < 6; ++j) sum += mode[j] * static_cast<int>((up >> j & 1) + (down >> j & 1));
        count += sum != 0;
      }
    }
  return count;
}

TEST(GalleryHolstein, SistersOfHmepHaveClosedFormCounts) {
  const std::int64_t coupled = count_coupled_pairs();
  EXPECT_EQ(coupled, 1382);
  for (int quanta = 0; quanta <= 6; ++quanta) {
    const auto phonon = static_cast<std::int64_t>(binomial(quanta + 5, 5));
    const auto pairs = static_cast<std::int64_t>(binomial(quanta + 4, 5));  // neighbours within one mode
    const std::int64_t rows = 400 * phonon, hops = 2 * 20 * (2 * 6 * 6) * phonon;
    const std::string spec = "hmep:" + std::to_string(quanta);
    const auto a = gallery::make(spec);
    EXPECT_EQ(a.num_rows, rows);
    EXPECT_EQ(a.num_entries(), rows + hops + 2 * coupled * pairs);
    EXPECT_EQ(gallery::make(spec + ",keep_zero_couplings=1").num_entries(), rows + hops + 2 * 2000 * pairs);
    EXPECT_EQ(gallery::make(spec + ",t=0,g=0").num_entries(), rows);
  }
  // The same formula at 15 quanta, which the slow test makes.
  EXPECT_EQ(6'201'600 + 2880 * 15'504 + 2 * coupled * static_cast<std::int64_t>(binomial(19, 5)), 82'992'912);
}

TEST(GalleryHolstein, HoppingIsAContiguousOffDiagonal) {
  const auto a = gallery::make("hmep:2");  // 21 phonon states
  const Index phonon = 21, first = 5 * phonon;
  const Index col = a.cols.data()[a.row_begin(first)];
  EXPECT_EQ((first - col) % phonon, 0);
  for (Index p = 0; p < phonon; ++p) EXPECT_EQ(std::abs(entry(a, first + p, col + p)), 1);
}

TEST(GalleryHolstein, TurnsAreAccurateAndModesOrthonormal) {
  for (int n = 1; n <= 24; ++n)
    for (int k = -n; k <= 2 * n; ++k) {
      const double angle = 2 * std::numbers::pi * k / n;
      EXPECT_NEAR(gallery::cos_of_turn(k, n), std::cos(angle), 4e-15);
      EXPECT_NEAR(gallery::sin_of_turn(k, n), std::sin(angle), 4e-15);
    }
  for (int sites = 1; sites <= 9; ++sites) {
    const auto modes = gallery::ring_modes(sites);
    ASSERT_EQ(modes.size(), static_cast<std::size_t>(sites - 1));
    for (std::size_t a = 0; a < modes.size(); ++a) {
      double sum = 0;
      for (const double v : modes[a]) sum += v;
      EXPECT_NEAR(sum, 0, 1e-14);
      for (std::size_t b = 0; b < modes.size(); ++b) {
        double product = 0;
        for (std::size_t j = 0; j < modes[a].size(); ++j) product += modes[a][j] * modes[b][j];
        EXPECT_NEAR(product, a == b ? 1 : 0, 1e-14);
      }
    }
  }
}

#ifdef MILLRACE_TEST_EIGEN

using Eigen::MatrixXd;

MatrixXd kron(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd c(a.rows() * b.rows(), a.cols() * b.cols());
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < a.cols(); ++j) c.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
  return c;
}

/// `op` in place `at` of `num` places of size dim, `before` in the places before it, the identity after it.
MatrixXd in_place(int at, int num, const MatrixXd& before, const MatrixXd& op) {
  MatrixXd all = MatrixXd::Identity(1, 1);
  for (int k = 0; k < num; ++k)
    all = kron(all, k < at ? before : k == at ? op : MatrixXd::Identity(op.rows(), op.cols()));
  return all;
}

struct Physics {
  int sites, up, down, quanta;
  double U, t, g, omega;
  std::string spec() const {
    return "holstein-hubbard:sites=" + std::to_string(sites) + ",up=" + std::to_string(up) +
           ",down=" + std::to_string(down) + ",quanta=" + std::to_string(quanta) + ",U=" + std::to_string(U) +
           ",t=" + std::to_string(t) + ",g=" + std::to_string(g) + ",omega=" + std::to_string(omega);
  }
};

/// H on the whole Fock space by Jordan-Wigner operators, cut down to the electrons and quanta asked for.
MatrixXd dense_hamiltonian(const Physics& p) {
  const int num_places = 2 * p.sites, num_modes = p.sites - 1;
  MatrixXd lower(2, 2), parity(2, 2);
  lower << 0, 1, 0, 0;
  parity << 1, 0, 0, -1;
  std::vector<MatrixXd> c;
  for (int k = 0; k < num_places; ++k) c.push_back(in_place(k, num_places, parity, lower));
  const auto number = [&](int k) -> MatrixXd {
    return c[static_cast<std::size_t>(k)].transpose() * c[static_cast<std::size_t>(k)];
  };
  const Eigen::Index num_fock = Eigen::Index{1} << num_places;
  MatrixXd electrons = MatrixXd::Zero(num_fock, num_fock);
  const int num_bonds = p.sites > 2 ? p.sites : p.sites - 1;
  for (const int spin : {0, p.sites})
    for (int i = 0; i < num_bonds; ++i) {
      const auto a = static_cast<std::size_t>(spin + i), b = static_cast<std::size_t>(spin + (i + 1) % p.sites);
      electrons -= p.t * (c[a].transpose() * c[b] + c[b].transpose() * c[a]);
    }
  for (int i = 0; i < p.sites; ++i) electrons += p.U * number(i) * number(p.sites + i);

  const Eigen::Index levels = p.quanta + 1;
  MatrixXd b = MatrixXd::Zero(levels, levels);
  for (Eigen::Index n = 1; n < levels; ++n) b(n - 1, n) = std::sqrt(static_cast<double>(n));
  const MatrixXd one = MatrixXd::Identity(levels, levels);
  std::vector<MatrixXd> phonon;
  for (int m = 0; m < num_modes; ++m) phonon.push_back(in_place(m, num_modes, one, b));
  Eigen::Index num_phonon = 1;
  for (int m = 0; m < num_modes; ++m) num_phonon *= levels;

  MatrixXd h = kron(electrons, MatrixXd::Identity(num_phonon, num_phonon));
  for (int m = 0; m < num_modes; ++m) {
    const int wave = m / 2 + 1;
    const bool alternating = 2 * wave == p.sites;
    MatrixXd density = MatrixXd::Zero(num_fock, num_fock);
    for (int j = 0; j < p.sites; ++j) {
      const double angle = 2 * std::numbers::pi * wave * j / p.sites;
      const double v = alternating ? std::cos(angle) / std::sqrt(p.sites)
                                   : std::sqrt(2.0 / p.sites) * (m % 2 ? std::sin(angle) : std::cos(angle));
      density += v * (number(j) + number(p.sites + j));
    }
    const MatrixXd& bm = phonon[static_cast<std::size_t>(m)];
    h -= p.g * p.omega * kron(density, bm + MatrixXd(bm.transpose()));
    h += p.omega * kron(MatrixXd::Identity(num_fock, num_fock), bm.transpose() * bm);
  }

  // The states that are kept, in the order of the library: site j of a spin is bit j there.
  std::vector<Eigen::Index> kept;
  const unsigned num_masks = 1u << p.sites;
  for (unsigned up = 0; up < num_masks; ++up)
    for (unsigned down = 0; down < num_masks; ++down) {
      if (std::popcount(up) != p.up || std::popcount(down) != p.down) continue;
      Eigen::Index fock = 0;
      for (int j = 0; j < p.sites; ++j) fock = 2 * fock + (up >> j & 1);
      for (int j = 0; j < p.sites; ++j) fock = 2 * fock + (down >> j & 1);
      for (Eigen::Index state = 0; state < num_phonon; ++state) {
        Eigen::Index total = 0;
        for (Eigen::Index rest = state; rest > 0; rest /= levels) total += rest % levels;
        if (total <= p.quanta) kept.push_back(fock * num_phonon + state);
      }
    }
  return h(kept, kept);
}

MatrixXd to_dense(const Csr<double>& a) {
  MatrixXd dense = MatrixXd::Zero(a.num_rows, a.num_cols);
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) dense(r, a.cols.data()[k]) = a.vals.data()[k];
  return dense;
}

double ground_state(const MatrixXd& h) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(h, Eigen::EigenvaluesOnly).eigenvalues()(0);
}

TEST(GalleryHolstein, EqualsADenseJordanWignerConstruction) {
  for (const Physics& p :
       {Physics{1, 1, 1, 0, 1.5, 1, 1, 1}, Physics{2, 1, 1, 4, 2.5, 0.75, 0.5, 1.25}, Physics{3, 2, 1, 2, 2, 1, 0.5, 1},
        Physics{3, 2, 2, 2, 1.5, 0.5, 1, 0.25}, Physics{3, 0, 3, 1, 4, 1, 1, 1}, Physics{4, 2, 2, 1, 3, 1, 0.5, 1.5},
        Physics{4, 3, 2, 0, 3, 1.25, 1, 1}}) {
    const MatrixXd expected = dense_hamiltonian(p), found = to_dense(gallery::make(p.spec()));
    ASSERT_EQ(expected.rows(), found.rows()) << p.spec();
    EXPECT_LE((expected - found).cwiseAbs().maxCoeff(), 1e-13) << p.spec();
    EXPECT_NEAR(ground_state(expected), ground_state(found), 1e-12) << p.spec();
  }
}

TEST(GalleryHolstein, FreeElectronsFillTheLowestLevelsOfTheRing) {
  for (const int sites : {3, 4, 5, 6})
    for (int electrons = 1; electrons < sites; ++electrons) {
      std::vector<double> levels;
      for (int k = 0; k < sites; ++k) levels.push_back(-2 * std::cos(2 * std::numbers::pi * k / sites));
      std::sort(levels.begin(), levels.end());
      const auto fill = [&](int n) { return std::accumulate(levels.begin(), levels.begin() + n, 0.0); };
      const Physics p{sites, electrons, 2, 0, 0, 1, 0, 1};
      EXPECT_NEAR(ground_state(to_dense(gallery::make(p.spec()))), fill(electrons) + fill(2), 1e-12) << p.spec();
    }
}

TEST(GalleryHolstein, LocalisedElectronsPayOnlyForDoubleOccupation) {
  EXPECT_NEAR(ground_state(to_dense(gallery::make(Physics{4, 3, 3, 0, 2.5, 0, 0, 1}.spec()))), 2 * 2.5, 1e-14);
  EXPECT_NEAR(ground_state(to_dense(gallery::make(Physics{4, 2, 2, 0, 2.5, 0, 0, 1}.spec()))), 0, 1e-14);
}

TEST(GalleryHolstein, APolaronGainsItsBindingEnergy) {
  // Without hopping one electron displaces the modes: the energy falls by g^2 omega (1 - 1 / sites).
  const Physics p{3, 1, 0, 12, 0, 0, 0.5, 2};
  EXPECT_NEAR(ground_state(to_dense(gallery::make(p.spec()))), -0.25 * 2 * (1 - 1.0 / 3), 1e-9);
}

#endif

}  // namespace
}  // namespace millrace
