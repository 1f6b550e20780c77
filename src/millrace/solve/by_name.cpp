// The table of methods, and the call of one by its name.
#include "millrace/solve/by_name.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/solve/bicgstab.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/solve/minres.hpp"

namespace millrace {
namespace {

// The lower end of the spectrum is estimated from above, so it is taken lower: too low only costs iterations.
template <class T>
SolveReport chebyshev_with_estimate(Queue& queue, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b,
                                    Vectors<T> x, const SolveOptions& options) {
  constexpr int steps = 40;
  constexpr double lower = 0.8;
  SpectralBounds bounds = estimate_bounds(queue, a, m, steps);
  require(bounds.smallest > 0, "chebyshev: the smallest eigenvalue of M A is about ", bounds.smallest,
          "; the method needs a positive definite matrix: try minres or gmres");
  bounds.smallest *= lower;
  return chebyshev(queue, a, m, b, x, bounds, options);
}

template <class T>
using Method = SolveReport (*)(Queue&, const Operator<T>&, const Operator<T>&, Vectors<const T>, Vectors<T>,
                               const SolveOptions&);

template <class T>
struct NamedMethod {
  MethodFacts facts;
  Method<T> run;
};

// THE table: name, help, usual preconditioner, needs A = A^H, needs M positive definite, is flexible; the solver.
template <class T>
constexpr NamedMethod<T> table[] = {
    {{"cg", "conjugate gradients, for symmetric or Hermitian definite A", "ic0", true, true}, cg<T>},
    {{"minres", "for symmetric or Hermitian A, which may be indefinite", "jacobi", true, true}, minres<T>},
    {{"bicgstab", "for any A: short recurrences, two products per iteration", "ilu0", false, false}, bicgstab<T>},
    {{"gmres", "for any A: the smallest residual of a cycle", "ilu0", false, false}, gmres<T>},
    {{"fgmres", "gmres with a preconditioner that may change", "ilu0", false, false, true}, fgmres<T>},
    {{"chebyshev", "for symmetric or Hermitian positive definite A: no dot products", "jacobi", true, true},
     chebyshev_with_estimate<T>},
};

}  // namespace

const std::vector<MethodFacts>& methods() {
  static const std::vector<MethodFacts> all = [] {
    std::vector<MethodFacts> found;
    for (const auto& method : table<double>) found.push_back(method.facts);
    return found;
  }();
  return all;
}

std::string method_names() {
  std::string names;
  for (const MethodFacts& method : methods()) names += (names.empty() ? "" : " ") + std::string(method.name);
  return names;
}

const MethodFacts& find_method(std::string_view name, std::string_view besides) {
  const auto found =
      std::find_if(methods().begin(), methods().end(), [&](const MethodFacts& m) { return m.name == name; });
  require(found != methods().end(), "unknown method '", name, "'; there are: ", besides, besides.empty() ? "" : " ",
          [] { return method_names(); });
  return *found;
}

template <class T>
SolveReport run_method(std::string_view name, Queue& queue, const Operator<T>& a, const Operator<T>& m,
                       std::type_identity_t<Vectors<const T>> b, std::type_identity_t<Vectors<T>> x,
                       const SolveOptions& options) {
  const auto place = static_cast<std::size_t>(&find_method(name) - methods().data());
  return table<T>[place].run(queue, a, m, b, x, options);
}

#define MILLRACE_INSTANTIATE(T)                                                                             \
  template SolveReport run_method(std::string_view, Queue&, const Operator<T>&, const Operator<T>&,         \
                                  std::type_identity_t<Vectors<const T>>, std::type_identity_t<Vectors<T>>, \
                                  const SolveOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
