// A case of millrace pde: what its file says of a linear partial differential equation, checked and ready to be
// assembled. Formulas stay formulas; nothing is integrated or solved here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "millrace/io/expression.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace::command {

/// The equations by their names: diffusion, convection-diffusion, elasticity, helmholtz.
enum class PdeKind { diffusion, convection_diffusion, elasticity, helmholtz };

/// Coefficients and sources in some cells. Scalars: -div(k grad u) + velocity . grad u + c u = source, where Helmholtz
/// has c = -(omega / speed)^2. Elasticity: -div(lambda div u I + mu (grad u + grad u^T)) = source.
struct PdeCoefficients {
  Expression k = 1.0, c = 0.0;
  std::vector<Expression> velocity{};     // [dim]; empty: none
  Expression omega = 0.0, speed = 1.0;    // of Helmholtz, besides c
  Expression lambda = 0.0, mu = 0.0;      // of elasticity,
  Expression young = 0.0, poisson = 0.0;  // the same in other words
  std::vector<Expression> source{};       // [comps]; empty: zero, or what makes the exact solution one
};

/// Coefficients of a physical group of cells.
struct PdeMaterial {
  std::string group;
  std::int32_t tag = 0;
  PdeCoefficients coefficients;
};

/// What holds on a physical group of the boundary: u = value for some components; for the others
/// n . k grad u + alpha u = flux, where elasticity has its traction instead of n . k grad u.
struct PdeCondition {
  std::string group;
  std::int32_t tag = 0;
  std::vector<std::optional<Expression>> value{};  // [comps]; none: this component is free
  std::vector<Expression> flux{};                  // [comps]
  bool exact_flux = false;                         // the flux of the exact solution is added to it
  std::optional<Expression> alpha{};               // none: no Robin condition
};

/// How the system is to be solved.
struct PdeSolve {
  std::string method = "auto", preconditioner = "auto";  // as tune/solve.hpp takes them
  double tolerance = 1e-10;
  int max_iterations = 10'000;
};

/// docs/file-formats.md has all keys of the file.
struct PdeCase {
  std::string file, title;
  PdeKind kind = PdeKind::diffusion;
  Mesh mesh;
  int order = 1;
  double time = 0;             // of formulas with t
  PdeCoefficients everywhere;  // but for the cells of `materials`
  std::vector<PdeMaterial> materials;
  std::vector<PdeCondition> conditions;  // groups that are not here: flux 0
  std::vector<Expression> exact;         // [comps]; empty: no solution is known
  bool manufactured = false;             // sources follow from `exact` (manufactured.hpp)
  PdeSolve solve;
  std::string vtu, picture;  // files to be written; empty: none

  int dim() const { return mesh.dim; }
  int comps() const { return kind == PdeKind::elasticity ? mesh.dim : 1; }
  /// Of the cells with this tag.
  const PdeCoefficients& coefficients(std::int32_t tag) const;
};

/// "diffusion", ...
std::string_view name_of(PdeKind kind);

/// Reads, checks, and makes the mesh. An Error has file, line and column where the file is to blame.
PdeCase read_pde_case(const std::string& path);

}  // namespace millrace::command
