// The list of solvers, and the call of one by its name.
#include "verbs/solve/methods.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/solve/bicgstab.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/solve/minres.hpp"

namespace millrace::command {

namespace {

// The spectrum's lower end is estimated from above, so it is taken lower: too low only costs iterations.
template <class T>
SolveReport chebyshev_with_estimate(Queue& queue, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b,
                                    Vectors<T> x, const SolveOptions& options) {
  constexpr int steps = 40;
  constexpr double lower = 0.8;
  SpectralBounds bounds = estimate_bounds(queue, a, m, steps);
  require(bounds.smallest > 0, "chebyshev: the smallest eigenvalue of M A is about ", bounds.smallest,
          "; the method needs a positive definite matrix: try --method minres or gmres");
  bounds.smallest *= lower;
  return chebyshev(queue, a, m, b, x, bounds, options);
}

template <class T>
using Function = SolveReport (*)(Queue&, const Operator<T>&, const Operator<T>&, Vectors<const T>, Vectors<T>,
                                 const SolveOptions&);

template <class T>
struct Named {
  MethodFacts facts;
  Function<T> run;
};

template <class T>
constexpr Named<T> list[] = {
    {{"cg", "ic0", true, true}, cg<T>},
    {{"minres", "jacobi", true, true}, minres<T>},
    {{"bicgstab", "ilu0", false, false}, bicgstab<T>},
    {{"gmres", "ilu0", false, false}, gmres<T>},
    {{"fgmres", "ilu0", false, false}, fgmres<T>},
    {{"chebyshev", "jacobi", true, true}, chebyshev_with_estimate<T>},
};

}  // namespace

const std::vector<MethodFacts>& methods() {
  static const std::vector<MethodFacts> all = [] {
    std::vector<MethodFacts> found;
    for (const auto& method : list<double>) found.push_back(method.facts);
    return found;
  }();
  return all;
}

std::string method_names() {
  std::string names;
  for (const MethodFacts& method : methods()) names += (names.empty() ? "" : " ") + std::string(method.name);
  return names;
}

const MethodFacts& find_method(std::string_view name) {
  const auto found =
      std::find_if(methods().begin(), methods().end(), [&](const MethodFacts& m) { return m.name == name; });
  require(found != methods().end(), "unknown method '", name, "'; there are: auto ", method_names());
  return *found;
}

template <class T>
SolveReport run_method(std::string_view name, Queue& queue, const Operator<T>& a, const Operator<T>& m,
                       Vectors<const T> b, Vectors<T> x, const SolveOptions& options) {
  const auto place = static_cast<std::size_t>(&find_method(name) - methods().data());
  return list<T>[place].run(queue, a, m, b, x, options);
}
template SolveReport run_method(std::string_view, Queue&, const Operator<float>&, const Operator<float>&,
                                Vectors<const float>, Vectors<float>, const SolveOptions&);
template SolveReport run_method(std::string_view, Queue&, const Operator<double>&, const Operator<double>&,
                                Vectors<const double>, Vectors<double>, const SolveOptions&);
template SolveReport run_method(std::string_view, Queue&, const Operator<std::complex<float>>&,
                                const Operator<std::complex<float>>&, Vectors<const std::complex<float>>,
                                Vectors<std::complex<float>>, const SolveOptions&);
template SolveReport run_method(std::string_view, Queue&, const Operator<std::complex<double>>&,
                                const Operator<std::complex<double>>&, Vectors<const std::complex<double>>,
                                Vectors<std::complex<double>>, const SolveOptions&);

}  // namespace millrace::command
