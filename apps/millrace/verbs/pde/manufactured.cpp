// The equations once more, for a solution that is known with its derivatives.
#include "verbs/pde/manufactured.hpp"

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::command {
namespace {

std::vector<Jet> exact_jets(const PdeCase& c, const millrace::Point& x) {
  require(!c.exact.empty(), c.file, ": a source or flux of the exact solution was asked for, and no solution is known");
  std::vector<Jet> jets;
  for (const Expression& u : c.exact) jets.push_back(u.jet_at(x, c.time));
  return jets;
}

}  // namespace

void exact_source(const PdeCase& c, const PdeCoefficients& coefficients, const millrace::Point& x, double* source) {
  const std::vector<Jet> u = exact_jets(c, x);
  const int dim = c.dim();
  if (c.kind != PdeKind::elasticity) {
    const Jet k = coefficients.k.jet_at(x, c.time);
    double sum = coefficients.c.at(x, c.time) * u[0].value;
    for (int d = 0; d < dim; ++d) sum -= k.first[d] * u[0].first[d] + k.value * u[0].second[d][d];
    for (std::size_t d = 0; d < coefficients.velocity.size(); ++d)
      sum += coefficients.velocity[d].at(x, c.time) * u[0].first[d];
    source[0] = sum;
    return;
  }
  const Jet lambda = coefficients.lambda.jet_at(x, c.time), mu = coefficients.mu.jet_at(x, c.time);
  double divergence = 0;
  for (int d = 0; d < dim; ++d) divergence += u[to_size(d)].first[d];
  for (int i = 0; i < dim; ++i) {  // of the stress's row i
    const Jet& ui = u[to_size(i)];
    double sum = lambda.first[i] * divergence;
    for (int d = 0; d < dim; ++d) {
      const Jet& ud = u[to_size(d)];
      sum += lambda.value * ud.second[d][i];
      sum += mu.first[d] * (ui.first[d] + ud.first[i]) + mu.value * (ui.second[d][d] + ud.second[d][i]);
    }
    source[i] = -sum;
  }
}

void exact_flux(const PdeCase& c, const PdeCoefficients& coefficients, const millrace::Point& x,
                const millrace::Point& normal, double* flux) {
  const std::vector<Jet> u = exact_jets(c, x);
  const int dim = c.dim();
  if (c.kind != PdeKind::elasticity) {
    const double k = coefficients.k.at(x, c.time);
    flux[0] = 0;
    for (int d = 0; d < dim; ++d) flux[0] += k * u[0].first[d] * normal[to_size(d)];
    return;
  }
  const double lambda = coefficients.lambda.at(x, c.time), mu = coefficients.mu.at(x, c.time);
  double divergence = 0;
  for (int d = 0; d < dim; ++d) divergence += u[to_size(d)].first[d];
  for (int i = 0; i < dim; ++i) {
    flux[i] = lambda * divergence * normal[to_size(i)];
    for (int d = 0; d < dim; ++d)
      flux[i] += mu * (u[to_size(i)].first[d] + u[to_size(d)].first[i]) * normal[to_size(d)];
  }
}

}  // namespace millrace::command
