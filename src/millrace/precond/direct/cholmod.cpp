// CHOLMOD: Y. Chen, T. A. Davis, W. W. Hager and S. Rajamanickam (2008). L L^H, supernodal where that pays, and the
// simplicial L D L^H without pivoting, of which the signs of D are counted.
#include <algorithm>
#include <cmath>

#include "millrace/precond/direct/blas_threads.hpp"
#include "millrace/precond/direct/factors.hpp"

#if MILLRACE_WITH_CHOLMOD
#include <cholmod.h>

namespace millrace::detail {

static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));

std::string cholmod_version() {
  return join(CHOLMOD_MAIN_VERSION, '.', CHOLMOD_SUB_VERSION, '.', CHOLMOD_SUBSUB_VERSION);
}

namespace {

template <class S>
constexpr int x_type = is_complex<S> ? CHOLMOD_COMPLEX : CHOLMOD_REAL;

template <class S>
class Cholmod final : public Factors<S> {
 public:
  Cholmod() {
    cholmod_l_start(&common_);
    common_.print = 0;
    common_.try_catch = 1;  // failures are return values
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;
  ~Cholmod() override {
    cholmod_l_free_factor(&factor_, &common_);
    cholmod_l_finish(&common_);
  }

  void analyse(const Columns<S>& upper, bool definite, DirectReport& report) {
    common_.supernodal = definite ? CHOLMOD_AUTO : CHOLMOD_SIMPLICIAL;
    common_.final_ll = definite ? 1 : 0;
    common_.quick_return_if_not_posdef = 1;
    cholmod_sparse a = matrix(upper);
    factor_ = cholmod_l_analyze(&a, &common_);
    check("the analysis");
    const double entry = sizeof(S), index = sizeof(SuiteSparse_long);
    report.estimated_bytes = factor_->is_super ? entry * static_cast<double>(factor_->xsize + factor_->maxcsize) +
                                                     index * static_cast<double>(factor_->ssize)
                                               : common_.lnz * (entry + index);
    report.factor_entries = factor_->is_super ? static_cast<Offset>(factor_->xsize) : static_cast<Offset>(common_.lnz);
  }

  /// False: a pivot is not positive, or zero for L D L^H.
  bool factorise(const Columns<S>& upper, DirectReport& report) {
    cholmod_sparse a = matrix(upper);
    const BlasThreads blas = BlasThreads::for_work(common_.fl);
    cholmod_l_factorize(&a, factor_, &common_);
    if (common_.status == CHOLMOD_NOT_POSDEF || common_.status == CHOLMOD_DSMALL) return false;
    check("the factorisation");
    const double entry = sizeof(S), index = sizeof(SuiteSparse_long);
    report.factor_bytes =
        factor_->is_super ? entry * static_cast<double>(factor_->xsize) + index * static_cast<double>(factor_->ssize)
                          : static_cast<double>(factor_->nzmax) * (entry + index);
    return true;
  }

  void solve(const S* b, S* x, bool transposed) override {
    const std::size_t n = factor_->n;
    std::vector<S> rhs(b, b + n);
    if (transposed) conjugate_all(rhs);  // A^T is the conjugate of A
    cholmod_dense from{n, 1, n, n, rhs.data(), nullptr, x_type<S>, CHOLMOD_DOUBLE};
    const BlasThreads blas = BlasThreads::for_work(4 * static_cast<double>(factor_->is_super ? factor_->xsize : 0));
    cholmod_dense* to = cholmod_l_solve(CHOLMOD_A, factor_, &from, &common_);
    check("the solution");
    std::copy_n(static_cast<const S*>(to->x), n, x);
    cholmod_l_free_dense(&to, &common_);
    if (!transposed) return;
    std::vector<S> result(x, x + n);
    conjugate_all(result);
    std::copy(result.begin(), result.end(), x);
  }

  /// The signs of D, and the largest entry of |L| |D| |L^H| times ones over `norm` of the matrix.
  void look_at_pivots(double norm, DirectReport& report) const {
    const std::size_t n = factor_->n;
    const auto* begin = static_cast<const SuiteSparse_long*>(factor_->p);
    const auto* count = static_cast<const SuiteSparse_long*>(factor_->nz);
    const auto* rows = static_cast<const SuiteSparse_long*>(factor_->i);
    const auto* values = static_cast<const S*>(factor_->x);
    std::vector<double> sums(n, 0.0);  // |L| |D| |L^H| 1
    Index negative = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double pivot = std::real(values[begin[k]]);
      negative += pivot < 0 ? 1 : 0;
      double column = 1;  // entry k of |L^H| 1
      for (SuiteSparse_long e = begin[k] + 1; e < begin[k] + count[k]; ++e) column += std::abs(values[e]);
      const double carried = std::abs(pivot) * column;
      sums[k] += carried;
      for (SuiteSparse_long e = begin[k] + 1; e < begin[k] + count[k]; ++e)
        sums[static_cast<std::size_t>(rows[e])] += std::abs(values[e]) * carried;
    }
    constexpr double max_growth = 1e8;
    const double largest = n > 0 ? *std::max_element(sums.begin(), sums.end()) : 0;
    report.growth = norm > 0 ? largest / norm : 1;
    if (report.growth <= max_growth) report.num_negative = negative;
  }

 private:
  // The packages take pointers to what they do not change.
  static cholmod_sparse matrix(const Columns<S>& upper) {
    cholmod_sparse a{};
    a.nrow = a.ncol = static_cast<std::size_t>(upper.num);
    a.nzmax = upper.vals.size();
    a.p = const_cast<std::int64_t*>(upper.begin.data());
    a.i = const_cast<std::int64_t*>(upper.rows.data());
    a.x = const_cast<S*>(upper.vals.data());
    a.stype = 1;  // upper triangle
    a.itype = CHOLMOD_LONG;
    a.xtype = x_type<S>;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = a.packed = 1;
    return a;
  }

  void check(const char* what) const {
    require(common_.status != CHOLMOD_OUT_OF_MEMORY && common_.status != CHOLMOD_TOO_LARGE, "direct: CHOLMOD has no ",
            "memory for ", what);
    require(common_.status >= CHOLMOD_OK, "direct: CHOLMOD gave up ", what, " with status ", common_.status);
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
};

// The largest row sum of sizes of a Hermitian matrix.
template <class S>
double norm_of(const Columns<S>& upper) {
  std::vector<double> sums(static_cast<std::size_t>(upper.num), 0.0);
  for (std::size_t c = 0; c < sums.size(); ++c)
    for (auto k = static_cast<std::size_t>(upper.begin[c]); k < static_cast<std::size_t>(upper.begin[c + 1]); ++k) {
      const auto r = static_cast<std::size_t>(upper.rows[k]);
      sums[r] += std::abs(upper.vals[k]);
      if (r != c) sums[c] += std::abs(upper.vals[k]);
    }
  return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

}  // namespace

template <class S>
FactorsOf<S> factorise_cholmod(const Columns<S>& upper, bool definite, double max_bytes, DirectReport& report) {
  auto made = std::make_unique<Cholmod<S>>();
  report.kind = definite ? Factorisation::cholesky : Factorisation::ldl;
  report.package = "CHOLMOD " + cholmod_version();
  made->analyse(upper, definite, report);
  require_memory(report, max_bytes);
  if (!made->factorise(upper, report)) return nullptr;
  if (definite) {
    report.growth = 1;
    report.num_negative = 0;
  } else {
    made->look_at_pivots(norm_of(upper), report);
  }
  return made;
}

template FactorsOf<double> factorise_cholmod(const Columns<double>&, bool, double, DirectReport&);
template FactorsOf<std::complex<double>> factorise_cholmod(const Columns<std::complex<double>>&, bool, double,
                                                           DirectReport&);

}  // namespace millrace::detail

#endif
