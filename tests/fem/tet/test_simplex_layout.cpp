// Layouts of the fused kernels of tets, by the host: shared nodes and contributions, factors, and the products of
// tensor cores lane by lane as a warp does them.
#include <gtest/gtest.h>

#include <cmath>

#include "expect.hpp"
#include "fem/element/shared_sums.hpp"
#include "millrace/base/tensor_fragments.hpp"
#include "millrace/fem/element/shared_nodes.hpp"
#include "millrace/fem/space.hpp"
#include "millrace/fem/tet/layout.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace::testing {
namespace {

TEST(LocalSharedNodes, AreNumberedOnceEach) {
  for (int order = 1; order <= 8; ++order) {
    const LocalSharedNodes local = shared_nodes_of_tet(order);
    ASSERT_EQ(std::ssize(local.number), num_nodes(Cell::tet, order));
    const int inside = order - 3;  // nodes of an edge of the lattice there
    const int num_inside = inside > 0 ? inside * (inside + 1) * (inside + 2) / 6 : 0;
    EXPECT_EQ(local.num, num_nodes(Cell::tet, order) - num_inside) << "order " << order;
    Index next = 0;
    for (const Index n : local.number)
      if (n >= 0) {
        EXPECT_EQ(n, next++);
      }
    EXPECT_EQ(next, local.num);
  }
}

TEST(LocalSharedNodes, OfTetsSumWhatEveryElementGives) {
  for (const int order : {1, 2, 4, 5}) {
    const Space space = make_space(make_box(Cell::tet, {2, 2, 2}), order);
    std::vector<Index> offsets = space.only_block().restriction.offsets.to_vector();
    for (Index& n : offsets)
      if (n % 5 == 0) n = ~n;  // constrained
    const LocalSharedNodes local = shared_nodes_of_tet(order);
    const SharedNodes shared =
        find_shared_nodes(offsets, space.only_block().restriction.num_elem, local, space.num_nodes);
    const Index num_elem = space.only_block().restriction.num_elem;
    expect_sums(offsets, num_elem, num_elem * local.num, shared, space.num_nodes, [&](Index e, int node) {
      const Index number = local.number[static_cast<std::size_t>(node)];
      return number < 0 ? -1 : e * local.num + number;
    });
  }
}

TEST(FactorLayout, HoldsEveryNumberOnce) {
  for (const cuda::FactorLayout layout :
       {cuda::tet_factor_layout<double>(14, 6, 10, 3), cuda::tet_factor_layout<double>(182, 1, 120, 1),
        cuda::tet_factor_layout<float>(14, 7, 10, 4)}) {
    const Index num_elem = 37;
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < layout.size(num_elem); ++i) {
      const auto at = layout.at(i);
      EXPECT_LT(at.stored, layout.num_stored);
      EXPECT_LT(at.elem, num_elem + layout.elements);
      EXPECT_EQ(at.elem / layout.elements, i / layout.group_size());
      if (at.elem < num_elem && at.point < layout.num_points) {
        EXPECT_TRUE(seen.insert((at.elem * layout.num_stored + at.stored) * layout.num_points + at.point).second);
      }
    }
    EXPECT_EQ(std::ssize(seen), std::int64_t{num_elem} * layout.num_stored * layout.num_points);
  }
}

/// What the 32 lanes of a warp hold, and one step of a tensor core for them.
using Warp = std::array<double, 32>;
void multiply(std::array<Warp, 2>& c, const Warp& a, const Warp& b) {
  double whole_a[8][4], whole_b[4][8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto in_a = tensor_core::place_in_a(lane), in_b = tensor_core::place_in_b(lane);
    whole_a[in_a.row][in_a.col] = a[static_cast<std::size_t>(lane)];
    whole_b[in_b.row][in_b.col] = b[static_cast<std::size_t>(lane)];
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 2; ++i) {
      const auto at = tensor_core::place_in_c(lane, i);
      for (int k = 0; k < 4; ++k)
        c[static_cast<std::size_t>(i)][static_cast<std::size_t>(lane)] += whole_a[at.row][k] * whole_b[k][at.col];
    }
}

/// v = sum over comps of T_c^T D T_c u for 8 elements, as apply_tets_by_tensor_cores does it.
std::vector<double> by_tensor_cores(const SimplexBasis& basis, const std::vector<double>& u,
                                    const std::vector<double>& d) {
  const int P = basis.num_nodes(), Q = basis.num_points(), C = 4, stride = cuda::table_stride(P);
  const std::vector<double> tables = cuda::tensor_core_tables(basis, true, true);
  std::vector<double> v(u.size());
  std::vector<std::array<Warp, 2>> r_v(static_cast<std::size_t>((P + 7) / 8));
  for (int tile = 0; tile < (Q + 7) / 8; ++tile) {
    const double* s_table = tables.data() + tile * C * 8 * stride;
    for (int c = 0; c < C; ++c) {
      std::array<Warp, 2> r_c{};
      for (int k = 0; k < (P + 3) / 4; ++k) {
        Warp left{}, right{};
        for (int lane = 0; lane < 32; ++lane) {
          const int node = 4 * k + lane % 4;
          left[static_cast<std::size_t>(lane)] = node < P ? u[static_cast<std::size_t>(lane / 4 * P + node)] : 0;
          right[static_cast<std::size_t>(lane)] = s_table[cuda::tet_forward_entry(lane, k, c, stride)];
        }
        multiply(r_c, left, right);
      }
      for (int q = 0; q < 2; ++q) {
        Warp left{};
        for (int lane = 0; lane < 32; ++lane) {
          const int point = tile * 8 + 2 * (lane % 4) + q;
          const auto l = static_cast<std::size_t>(lane);
          left[l] =
              point < Q ? d[static_cast<std::size_t>(lane / 4 * Q + point)] * r_c[static_cast<std::size_t>(q)][l] : 0;
        }
        for (int i = 0; i < (P + 7) / 8; ++i) {
          Warp right{};
          for (int lane = 0; lane < 32; ++lane)
            right[static_cast<std::size_t>(lane)] = s_table[cuda::tet_back_entry(lane, i, c, q, stride)];
          multiply(r_v[static_cast<std::size_t>(i)], left, right);
        }
      }
    }
  }
  for (int i = 0; i < (P + 7) / 8; ++i)
    for (int lane = 0; lane < 32; ++lane)
      for (int q = 0; q < 2; ++q)
        if (const int node = 8 * i + 2 * (lane % 4) + q; node < P)
          v[static_cast<std::size_t>(lane / 4 * P + node)] =
              r_v[static_cast<std::size_t>(i)][static_cast<std::size_t>(q)][static_cast<std::size_t>(lane)];
  return v;
}

/// The same from plain_tables, as apply_tets_plainly does it.
std::vector<double> by_plain_tables(const SimplexBasis& basis, const std::vector<double>& u,
                                    const std::vector<double>& d) {
  const int P = basis.num_nodes(), Q = basis.num_points(), C = 4, tiles = (Q + 3) / 4;
  const std::vector<double> tables = cuda::plain_tables(basis, true, true);
  std::vector<double> v(u.size());
  for (int e = 0; e < 8; ++e) {
    std::vector<double> w(static_cast<std::size_t>(4 * tiles * C));
    for (int q = 0; q < Q; ++q)
      for (int c = 0; c < C; ++c)
        for (int n = 0; n < P; ++n)
          w[static_cast<std::size_t>(q * C + c)] +=
              d[static_cast<std::size_t>(e * Q + q)] *
              tables[static_cast<std::size_t>(((q / 4 * P + n) * C + c) * 4 + q % 4)] *
              u[static_cast<std::size_t>(e * P + n)];
    for (int n = 0; n < P; ++n)
      for (int r = 0; r < 4 * tiles * C; ++r)
        v[static_cast<std::size_t>(e * P + n)] +=
            tables[static_cast<std::size_t>((tiles * P * C + n / 4 * 4 * tiles * C + r) * 4 + n % 4)] *
            w[static_cast<std::size_t>(r)];
  }
  return v;
}

TEST(TetTables, GiveTheProductsOfTheBasis) {
  for (int order = 1; order <= 8; ++order) {
    const SimplexBasis basis = make_simplex_basis(Cell::tet, order, simplex_rule(3, order < 6 ? 2 * order : 10));
    const int P = basis.num_nodes(), Q = basis.num_points();
    const auto u = random_vector<double>(8 * P, 3), d = random_vector<double>(8 * Q, 4);
    std::vector<double> expected(u.size()), size(u.size());
    for (int e = 0; e < 8; ++e)
      for (int c = 0; c < 4; ++c)
        for (int q = 0; q < Q; ++q) {
          const double* row = (c == 0 ? basis.interp.data() : basis.grad.data() + (c - 1) * Q * P) + q * P;
          double value = 0, magnitude = 0;
          for (int n = 0; n < P; ++n) {
            const double term = row[n] * u[static_cast<std::size_t>(e * P + n)];
            value += term, magnitude += std::abs(term);
          }
          const double factor = d[static_cast<std::size_t>(e * Q + q)];
          for (int n = 0; n < P; ++n) {
            expected[static_cast<std::size_t>(e * P + n)] += row[n] * factor * value;
            size[static_cast<std::size_t>(e * P + n)] += std::abs(row[n] * factor) * magnitude;
          }
        }
    const auto tensor = by_tensor_cores(basis, u, d), plain = by_plain_tables(basis, u, d);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double bound = (2 * P + 8 * Q + 8) * epsilon<double> * size[i];
      ASSERT_NEAR(tensor[i], expected[i], bound) << "order " << order << ", entry " << i;
      ASSERT_NEAR(plain[i], expected[i], bound) << "order " << order << ", entry " << i;
    }
  }
}

TEST(TetTables, MeetEveryBankOfSharedMemoryOnce) {
  for (const int P : {4, 10, 20, 35, 56, 84, 120, 165}) {
    const int stride = cuda::table_stride(P);
    for (int half = 0; half < 2; ++half) {  // 16 lanes read at once
      std::set<int> forward, back[2];
      for (int lane = 16 * half; lane < 16 * half + 16; ++lane) {
        forward.insert(cuda::tet_forward_entry(lane, 0, 0, stride) % 16);
        for (int q = 0; q < 2; ++q) back[q].insert(cuda::tet_back_entry(lane, 0, 0, q, stride) % 16);
      }
      EXPECT_EQ(forward.size(), 16u);
      EXPECT_EQ(back[0].size(), 16u);
      EXPECT_EQ(back[1].size(), 16u);
    }
  }
}

}  // namespace
}  // namespace millrace::testing
