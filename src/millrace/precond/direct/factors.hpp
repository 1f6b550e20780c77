// What the packages have in common: columns go in, factors that solve come out.
#pragma once

#include <complex>
#include <functional>
#include <memory>

#include "millrace/precond/direct.hpp"
#include "millrace/precond/direct/columns.hpp"

namespace millrace::detail {

/// S: double or complex double. One thread at a time.
template <class S>
class Factors {
 public:
  virtual ~Factors() = default;
  /// x = A^-1 b, or A^-T b.
  virtual void solve(const S* b, S* x, bool transposed) = 0;
};

template <class S>
using FactorsOf = std::unique_ptr<Factors<S>>;

/// Refuses what the analysis expects to be too much.
void require_memory(const DirectReport& report, double max_bytes);

// Each fills in kind, package, sizes, and what else it knows; rcond = 0 for a zero pivot. The first takes the upper
// triangle; no factors: the matrix is not positive definite. Called only where the package was built in.
template <class S>
FactorsOf<S> factorise_cholmod(const Columns<S>& upper, bool definite, double max_bytes, DirectReport& report);
/// UMFPACK's bound can be ten times what it takes; where it is beyond the limit, `likely_bytes()` decides.
template <class S>
FactorsOf<S> factorise_umfpack(const Columns<S>& a, double max_bytes, const std::function<double()>& likely_bytes,
                               DirectReport& report);
template <class S>
FactorsOf<S> factorise_klu(const Columns<S>& a, double max_bytes, DirectReport& report);

/// What UMFPACK's analysis of the pattern bounds the cost by.
template <class S>
DirectForecast forecast_umfpack(const Columns<S>& a);

// Versions of the headers, empty when a package is not in this build.
std::string cholmod_version();
std::string umfpack_version();
std::string klu_version();

}  // namespace millrace::detail
