// Every product of a table with many columns gives what a plain loop gives, on a GPU, and the actions of simplices are
// those of the host.
#include "fem/fem_gpu_tools.hpp"
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/gemm/gemm_cuda.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GpuGemm : public OnGpu {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuGemm, Reals);

std::vector<GemmVariant> variants() {
  std::vector<GemmVariant> all;
  for (const int eta : {0, 1, 7, 16, 64, 100, 5000}) {
    all.push_back({GemmVariant::Kernel::own, eta});
    if constexpr (build::cuda)
      if (cuda::has_gemm_library()) all.push_back({GemmVariant::Kernel::library, eta});
  }
  return all;
}

/// All variants, set and added, from pointers that are aligned to 16 bytes and from others.
template <class T>
void expect_as_plain(const GemmShape& shape, int offset = 0) {
  if constexpr (build::cuda) {
    Queue queue(Device::gpu());
    const auto table = on_gpu(random_vector<T>(std::int64_t{shape.m} * shape.k, 3));
    const std::vector<T> in = random_vector<T>(shape.n * shape.k + offset, 4);
    const std::vector<T> old = random_vector<T>(shape.n * shape.m + offset, 5);
    const std::vector<T> nothing(old.size(), std::numeric_limits<T>::quiet_NaN());
    const Array<T> from = on_gpu(in);
    for (const Write write : {Write::set, Write::add}) {
      const std::vector<T>& start = write == Write::add ? old : nothing;
      Array<T> expected = on_gpu(start);
      cuda::multiply_table_plainly(queue, shape, table.data(), from.data() + offset, expected.data() + offset, write);
      for (const GemmVariant variant : variants()) {
        Array<T> found = on_gpu(start);
        cuda::multiply_table(queue, shape, variant, table.data(), from.data() + offset, found.data() + offset, write);
        const double difference = cuda::max_difference(queue, shape.n * shape.m, found.data() + offset,
                                                       static_cast<const T*>(expected.data() + offset));
        EXPECT_LE(difference, 2 * (shape.k + 2) * (shape.k + 1) * static_cast<double>(epsilon<T>))  // entries up to 1
            << shape.m << " x " << shape.k << " x " << shape.n << (shape.transposed ? " transposed, " : ", ")
            << to_string(variant) << (write == Write::add ? ", added" : "");
        Array<T> again = on_gpu(start);
        cuda::multiply_table(queue, shape, variant, table.data(), from.data() + offset, again.data() + offset, write);
        queue.wait();
        EXPECT_TRUE(same_bits<T>(found.to_vector(), again.to_vector())) << to_string(variant);
      }
    }
  }
}

TYPED_TEST(GpuGemm, EveryVariantIsThePlainProduct) {
  for (const bool transposed : {false, true}) {
    for (const auto& [m, k] : {std::pair{4, 4}, {1, 1}, {5, 3}, {14, 10}, {33, 20}, {72, 20}, {46, 35}, {35, 138}})
      for (const std::int64_t n : {1, 15, 17, 333}) expect_as_plain<TypeParam>({m, n, k, transposed});
    expect_as_plain<TypeParam>({252, 200, 56, transposed});
    expect_as_plain<TypeParam>({165, 70, 864, transposed});
    expect_as_plain<TypeParam>({864, 70, 165, transposed});
  }
}

TYPED_TEST(GpuGemm, PointersMayBeAnywhere) {
  expect_as_plain<TypeParam>({14, 333, 10, false}, 1);
  expect_as_plain<TypeParam>({35, 77, 46, true}, 3);
}

TYPED_TEST(GpuGemm, ManyColumns) { expect_as_plain<TypeParam>({24, 40001, 20, false}); }

TYPED_TEST(GpuGemm, SimplicesActAsOnTheHost) {
  using T = TypeParam;
  Queue host, there(Device::gpu());
  for (const Cell cell : {Cell::tet, Cell::triangle})
    for (const int order : {1, 2, 3, 5, 8}) {
      const SimplexBasis basis = make_simplex_basis(cell, order, simplex_rule(dim(cell), 2 * order));
      const ElementFields fields{19, 2};
      const std::int64_t num = fields.num_elem * fields.comps, nodes = num * basis.num_nodes(),
                         points = num * basis.num_points(), gradients = points * dim(cell);
      const auto compare = [&](const char* what, std::int64_t num_in, std::int64_t num_out, auto&& act) {
        for (const Write write : {Write::set, Write::add}) {
          const auto in = random_vector<T>(num_in, 5);
          auto expected = random_vector<T>(num_out, 6);
          const Array<T> from = on_gpu(in);
          Array<T> to = on_gpu(expected);
          act(host, Vectors<const T>(in), Vectors<T>(expected), write);
          act(there, Vectors<const T>(from), Vectors<T>(to), write);
          there.wait();
          const std::vector<T> found = to.to_vector();
          double largest = 1;
          for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
          for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]),
                        64 * 3 * basis.num_points() * static_cast<double>(epsilon<T>) * largest)
                << what << ", order " << order << ", entry " << i;
        }
      };
      compare("interp", nodes, points,
              [&](Queue& q, auto in, auto out, Write w) { interp<T>(q, basis, fields, in, out, w); });
      compare("interp_transpose", points, nodes,
              [&](Queue& q, auto in, auto out, Write w) { interp_transpose<T>(q, basis, fields, in, out, w); });
      compare("grad", nodes, gradients,
              [&](Queue& q, auto in, auto out, Write w) { grad<T>(q, basis, fields, in, out, w); });
      compare("grad_transpose", gradients, nodes,
              [&](Queue& q, auto in, auto out, Write w) { grad_transpose<T>(q, basis, fields, in, out, w); });
      std::vector<T> weights(static_cast<std::size_t>(fields.num_elem * basis.num_points()));
      Array<T> weights_there = on_gpu(weights);
      weight<T>(host, basis, fields.num_elem, weights);
      weight<T>(there, basis, fields.num_elem, weights_there);
      EXPECT_TRUE(same_bits<T>(weights, weights_there.to_vector()));
    }
}

TYPED_TEST(GpuGemm, TetsActionByActionAreTheOperator) {
  const ElementOptions options{.evaluation = Evaluation::unfused};
  for (const int order : {1, 2, 3, 5, 8}) {
    const Mesh mesh = warped_box(Cell::tet, order < 4 ? 3 : 2, 2);
    expect_gpu_as_host<TypeParam>(mesh, fem::Mass<3>{}, order, options, join("mass, order ", order));
    expect_gpu_as_host<TypeParam>(mesh, fem::Diffusion<3>{{2}}, order, options, join("diffusion, order ", order));
  }
  expect_gpu_as_host<TypeParam>(warped_box(Cell::tet, 2, 1), fem::Elasticity<3>{}, 3, options, "elasticity");
}

using GpuGemmErrors = OnGpu;
TEST_F(GpuGemmErrors, SayWhatIsTooLarge) {
  if constexpr (build::cuda) {
    Queue queue(Device::gpu());
    const Array<double> a(Device::gpu(), 8 << 15);
    Array<double> c(Device::gpu(), 8);
    const auto text = error_of<Unsupported>([&] {
      cuda::multiply_table(queue, {8, 1, 1 << 15, false}, {GemmVariant::Kernel::own, 0}, a.data(), a.data(), c.data());
    });
    EXPECT_NE(text.find("a table of 8 x 32768 numbers"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace millrace::testing
