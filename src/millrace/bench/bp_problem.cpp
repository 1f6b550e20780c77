// Meshes, operators and right-hand sides of the bake-off problems. The known solution is a product of sines.
#include "millrace/bench/bp_problem.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/reorder.hpp"

namespace millrace::bench {

namespace {

double bump(const double* x) { return std::sin(M_PI * x[0]) * std::sin(M_PI * x[1]) * std::sin(M_PI * x[2]); }

/// (f, v) as a physics that is applied to ones; component c of the solution is (c + 1) times the bump.
template <int C>
struct Load {
  static constexpr int dim = 3, comps = C;
  static constexpr bool uses_grad = false;
  double factor = 1;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[3], T* v, T (*)[3]) const {
    const double place[] = {static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])};
    const double f = factor * bump(place);
    for (int c = 0; c < C; ++c) v[c] = static_cast<T>((c + 1) * f) * u[c];
  }
};

/// Numbers in [-1, 1) that depend on i alone (splitmix64, S. Vigna 2015).
double random_number(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/// Calls f with the physics of a problem.
template <class F>
decltype(auto) with_physics(int problem, F&& f) {
  if (num_comps(problem) == 3) return is_mass(problem) ? f(fem::VectorMass<3>{}) : f(fem::VectorDiffusion<3>{});
  return is_mass(problem) ? f(fem::Mass<3>{}) : f(fem::Diffusion<3>{});
}

}  // namespace

bool is_mass(int problem) { return problem <= 2; }
int num_comps(int problem) { return problem % 2 == 0 ? 3 : 1; }
std::string name_of(int problem) {
  return join("BP", problem, ": ", num_comps(problem) == 3 ? "vector " : "", is_mass(problem) ? "mass" : "diffusion",
              problem >= 5 ? ", points on the nodes" : "");
}

Mesh make_bp_mesh(const BpRequest& r) {
  const double line = std::cbrt(r.dofs / num_comps(r.problem));  // nodes of a direction
  const int cells = std::max(1, static_cast<int>(std::lround((line - 1) / r.order)));
  // Curved cells can fold where Kershaw's mesh is squeezed most, as tets of order 2 do with 15^3 boxes.
  const int own_choice = r.cell == Cell::tet && !(r.kershaw > 0) ? 2 : 1;
  const int geometry = r.geometry_order > 0 ? r.geometry_order : own_choice;
  Mesh mesh = r.kershaw > 0 ? make_kershaw(r.cell, {cells, cells, cells}, r.kershaw, geometry)
                            : make_box(r.cell, {cells, cells, cells}, {}, geometry);
  if (r.kershaw == 0)
    deform(mesh, [](const millrace::Point& x) {
      const double move = 0.1 * bump(x.data());
      return millrace::Point{x[0] + move, x[1] - 0.7 * move, x[2] + 0.5 * move};
    });
  reorder(mesh);  // neighbours share nodes while these are in a cache
  return mesh;
}

ElementOptions make_bp_options(const BpRequest& r, const Space& space) {
  ElementOptions options;
  if (r.problem >= 5) options.points = Points::on_nodes();
  if (r.recompute) options.factors = GeometricFactors::recomputed;
  options.accumulation = r.sum;
  options.evaluation = r.evaluation;
  if (!(r.ceed && is_mass(r.problem))) options.constrained = space.all_boundary_nodes;
  return options;
}

template <class T>
ElementOperator<T> make_bp_operator(const BpRequest& r, const Mesh& mesh, const Space& space) {
  return with_physics(r.problem, [&](const auto& physics) {
    return make_element_operator<T>(mesh, space, physics, make_bp_options(r, space));
  });
}

template <class T>
PMultigrid<T> make_bp_p_multigrid(Queue& queue, const BpRequest& r, const Mesh& mesh, const Space& space,
                                  const PMultigridOptions& options) {
  return with_physics(r.problem, [&](const auto& physics) {
    return make_p_multigrid<T>(queue, mesh, space, physics, make_bp_options(r, space), options);
  });
}

template <class T>
std::vector<T> make_bp_load(Queue& queue, const BpRequest& r, const Mesh& mesh, const Space& space) {
  ElementOptions options = make_bp_options(r, space);
  const std::vector<Index> constrained = std::move(options.constrained);
  options.constrained.clear();
  options.factors = GeometricFactors::recomputed;  // once: nothing is worth storing
  const double factor = is_mass(r.problem) ? 1 : 3 * M_PI * M_PI;
  const std::vector<T> ones(static_cast<std::size_t>(space.num_dofs()), T{1});
  std::vector<T> b(ones.size());
  const auto integrate = [&](const auto& load) {
    make_element_operator<T>(mesh, space, load, options).apply(queue, {.x = ones, .y = b});
  };
  if (r.random)
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(random_number(i));
  else if (num_comps(r.problem) == 3)
    integrate(fem::Pointwise<Load<3>>{{factor}});
  else
    integrate(fem::Pointwise<Load<1>>{{factor}});
  for (int c = 0; c < space.comps; ++c)
    for (const Index n : constrained) b[static_cast<std::size_t>(space.entry(n, c))] = T{0};
  return b;
}

template <class T>
double bp_error(const Space& space, const std::vector<T>& u) {
  double largest = 0;
  const int comps = space.comps;
  for (Index n = 0; n < space.num_nodes; ++n) {
    const double exact = bump(space.place(n));
    for (int c = 0; c < comps; ++c) {
      const double found = static_cast<double>(u[static_cast<std::size_t>(space.entry(n, c))]);
      const double error = std::abs(found - (c + 1) * exact);
      largest = std::isfinite(error) ? std::max(largest, error) : std::numeric_limits<double>::infinity();
    }
  }
  return largest / comps;
}

template ElementOperator<float> make_bp_operator(const BpRequest&, const Mesh&, const Space&);
template ElementOperator<double> make_bp_operator(const BpRequest&, const Mesh&, const Space&);
template PMultigrid<float> make_bp_p_multigrid(Queue&, const BpRequest&, const Mesh&, const Space&,
                                               const PMultigridOptions&);
template PMultigrid<double> make_bp_p_multigrid(Queue&, const BpRequest&, const Mesh&, const Space&,
                                                const PMultigridOptions&);
template std::vector<float> make_bp_load(Queue&, const BpRequest&, const Mesh&, const Space&);
template std::vector<double> make_bp_load(Queue&, const BpRequest&, const Mesh&, const Space&);
template double bp_error(const Space&, const std::vector<float>&);
template double bp_error(const Space&, const std::vector<double>&);

}  // namespace millrace::bench
