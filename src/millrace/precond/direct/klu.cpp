// KLU: T. A. Davis and E. Palamadai Natarajan (2010). A is brought to block triangular form, and every diagonal block
// is factorised by the left-looking method of J. R. Gilbert and T. Peierls (1988), without dense blocks.
#include "millrace/precond/direct/factors.hpp"

#if MILLRACE_WITH_KLU
#include <klu.h>

namespace millrace::detail {

std::string klu_version() { return join(KLU_MAIN_VERSION, '.', KLU_SUB_VERSION, '.', KLU_SUBSUB_VERSION); }

namespace {

static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));

// The packages take pointers to what they do not change.
template <class T>
double* parts(const T* values) {
  return const_cast<double*>(reinterpret_cast<const double*>(values));
}

template <class S>
class Klu final : public Factors<S> {
 public:
  Klu() {
    klu_l_defaults(&common_);
    common_.tol = 0.1;  // as UMFPACK; the default, 0.001, gives up digits for entries
    common_.halt_if_singular = 0;
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() override {
    klu_l_free_symbolic(&symbolic_, &common_);
    if constexpr (is_complex<S>)
      klu_zl_free_numeric(&numeric_, &common_);
    else
      klu_l_free_numeric(&numeric_, &common_);
  }

  void analyse(const Columns<S>& a, DirectReport& report) {
    symbolic_ = klu_l_analyze(a.num, const_cast<std::int64_t*>(a.begin.data()),
                              const_cast<std::int64_t*>(a.rows.data()), &common_);
    check("the analysis");
    const double entries = symbolic_->lnz + symbolic_->unz;  // for pivots on the diagonal
    report.estimated_bytes = entries * (sizeof(S) + sizeof(SuiteSparse_long));
  }

  void factorise(const Columns<S>& a, DirectReport& report) {
    auto* begin = const_cast<std::int64_t*>(a.begin.data());
    auto* rows = const_cast<std::int64_t*>(a.rows.data());
    if constexpr (is_complex<S>)
      numeric_ = klu_zl_factor(begin, rows, parts(a.vals.data()), symbolic_, &common_);
    else
      numeric_ = klu_l_factor(begin, rows, parts(a.vals.data()), symbolic_, &common_);
    check("the factorisation");
    report.rcond = common_.status == KLU_SINGULAR ? 0 : 1;
    report.factor_entries = numeric_->lnz + numeric_->unz + numeric_->nzoff;
    report.factor_bytes = static_cast<double>(report.factor_entries) * (sizeof(S) + sizeof(SuiteSparse_long));
  }

  void solve(const S* b, S* x, bool transposed) override {
    const SuiteSparse_long n = symbolic_->n;
    std::copy_n(b, n, x);
    if constexpr (is_complex<S>) {
      transposed ? klu_zl_tsolve(symbolic_, numeric_, n, 1, parts(x), 0, &common_)
                 : klu_zl_solve(symbolic_, numeric_, n, 1, parts(x), &common_);
    } else {
      transposed ? klu_l_tsolve(symbolic_, numeric_, n, 1, x, &common_)
                 : klu_l_solve(symbolic_, numeric_, n, 1, x, &common_);
    }
    check("the solution");
  }

 private:
  void check(const char* what) const {
    require(common_.status != KLU_OUT_OF_MEMORY && common_.status != KLU_TOO_LARGE, "direct: KLU has no memory for ",
            what);
    require(common_.status >= KLU_OK, "direct: KLU gave up ", what, " with status ", common_.status);
  }

  klu_l_common common_{};
  klu_l_symbolic* symbolic_ = nullptr;
  klu_l_numeric* numeric_ = nullptr;
};

}  // namespace

template <class S>
FactorsOf<S> factorise_klu(const Columns<S>& a, double max_bytes, DirectReport& report) {
  auto made = std::make_unique<Klu<S>>();
  report.kind = Factorisation::klu;
  report.package = "KLU " + klu_version();
  made->analyse(a, report);
  require_memory(report, max_bytes);
  made->factorise(a, report);
  return made;
}

template FactorsOf<double> factorise_klu(const Columns<double>&, double, DirectReport&);
template FactorsOf<std::complex<double>> factorise_klu(const Columns<std::complex<double>>&, double, DirectReport&);

}  // namespace millrace::detail

#endif
