// The tables of a tet in the order of the fused kernels.
#include "millrace/fem/tet/layout.hpp"

namespace millrace::cuda {
namespace {

/// Value or derivative of node n at point q, 0 outside; comps: value, x, y, z, as far as used.
struct Entries {
  const SimplexBasis& basis;
  bool uses_value;

  double operator()(int comp, int q, int n) const {
    const int P = basis.num_nodes(), Q = basis.num_points();
    if (q >= Q || n >= P) return 0;
    if (uses_value && comp == 0) return basis.interp[static_cast<std::size_t>(q * P + n)];
    const int d = comp - (uses_value ? 1 : 0);
    return basis.grad[static_cast<std::size_t>((d * Q + q) * P + n)];
  }
};

int num_comps(bool uses_value, bool uses_grad) { return (uses_value ? 1 : 0) + (uses_grad ? 3 : 0); }

}  // namespace

std::vector<double> tensor_core_tables(const SimplexBasis& basis, bool uses_value, bool uses_grad) {
  const int comps = num_comps(uses_value, uses_grad), tiles = (basis.num_points() + 7) / 8;
  const int stride = table_stride(basis.num_nodes());
  const Entries entry{basis, uses_value};
  std::vector<double> tables(static_cast<std::size_t>(tiles * comps * 8 * stride));
  for (int tile = 0; tile < tiles; ++tile)
    for (int c = 0; c < comps; ++c)
      for (int q = 0; q < 8; ++q)
        for (int n = 0; n < basis.num_nodes(); ++n)
          tables[static_cast<std::size_t>(((tile * comps + c) * 8 + tet_table_row(q)) * stride + n)] =
              entry(c, tile * 8 + q, n);
  return tables;
}

std::vector<double> plain_tables(const SimplexBasis& basis, bool uses_value, bool uses_grad) {
  const int comps = num_comps(uses_value, uses_grad), tiles = (basis.num_points() + 3) / 4;
  const Entries entry{basis, uses_value};
  std::vector<double> tables;
  for (int tile = 0; tile < tiles; ++tile)
    for (int n = 0; n < basis.num_nodes(); ++n)
      for (int c = 0; c < comps; ++c)
        for (int q = 0; q < 4; ++q) tables.push_back(entry(c, tile * 4 + q, n));
  for (int node_tile = 0; node_tile < (basis.num_nodes() + 3) / 4; ++node_tile)
    for (int q = 0; q < 4 * tiles; ++q)
      for (int c = 0; c < comps; ++c)
        for (int n = 0; n < 4; ++n) tables.push_back(entry(c, q, node_tile * 4 + n));
  return tables;
}

}  // namespace millrace::cuda
