// UMFPACK: T. A. Davis (2004). P A Q = L U by unsymmetric-pattern multifrontal elimination, with threshold pivoting.
#include <algorithm>

#include "millrace/precond/direct/blas_threads.hpp"
#include "millrace/precond/direct/factors.hpp"

#if MILLRACE_WITH_UMFPACK
#include <umfpack.h>

namespace millrace::detail {

std::string umfpack_version() {
  return join(UMFPACK_MAIN_VERSION, '.', UMFPACK_SUB_VERSION, '.', UMFPACK_SUBSUB_VERSION);
}

namespace {

static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));

// The calls for real and for complex numbers; complex ones are interleaved, so the array of imaginary parts is null.
template <class S>
struct Calls {
  static constexpr auto defaults = umfpack_dl_defaults;
  static constexpr auto free_symbolic = umfpack_dl_free_symbolic;
  static constexpr auto free_numeric = umfpack_dl_free_numeric;
  static auto symbolic(const Columns<S>& a, void** made, const double* control, double* info) {
    return umfpack_dl_symbolic(a.num, a.num, a.begin.data(), a.rows.data(), a.vals.data(), made, control, info);
  }
  static auto numeric(const Columns<S>& a, void* symbolic, void** made, const double* control, double* info) {
    return umfpack_dl_numeric(a.begin.data(), a.rows.data(), a.vals.data(), symbolic, made, control, info);
  }
  static auto solve(int system, const Columns<S>& a, S* x, const S* b, void* numeric, const double* control) {
    return umfpack_dl_solve(system, a.begin.data(), a.rows.data(), a.vals.data(), x, b, numeric, control, nullptr);
  }
};
template <>
struct Calls<std::complex<double>> {
  using S = std::complex<double>;
  static constexpr auto defaults = umfpack_zl_defaults;
  static constexpr auto free_symbolic = umfpack_zl_free_symbolic;
  static constexpr auto free_numeric = umfpack_zl_free_numeric;
  static const double* parts(const S* values) { return reinterpret_cast<const double*>(values); }
  static auto symbolic(const Columns<S>& a, void** made, const double* control, double* info) {
    return umfpack_zl_symbolic(a.num, a.num, a.begin.data(), a.rows.data(), parts(a.vals.data()), nullptr, made,
                               control, info);
  }
  static auto numeric(const Columns<S>& a, void* symbolic, void** made, const double* control, double* info) {
    return umfpack_zl_numeric(a.begin.data(), a.rows.data(), parts(a.vals.data()), nullptr, symbolic, made, control,
                              info);
  }
  static auto solve(int system, const Columns<S>& a, S* x, const S* b, void* numeric, const double* control) {
    return umfpack_zl_solve(system, a.begin.data(), a.rows.data(), parts(a.vals.data()), nullptr,
                            reinterpret_cast<double*>(x), nullptr, parts(b), nullptr, numeric, control, nullptr);
  }
};

template <class S>
class Umfpack final : public Factors<S> {
 public:
  Umfpack() {
    Calls<S>::defaults(control_);
    control_[UMFPACK_PRL] = 0;
    control_[UMFPACK_IRSTEP] = 0;  // refinement is the caller's, who has the matrix
  }
  Umfpack(const Umfpack&) = delete;
  Umfpack& operator=(const Umfpack&) = delete;
  ~Umfpack() override {
    if (symbolic_) Calls<S>::free_symbolic(&symbolic_);
    if (numeric_) Calls<S>::free_numeric(&numeric_);
  }

  void analyse(const Columns<S>& a, DirectReport& report) {
    check(Calls<S>::symbolic(a, &symbolic_, control_, info_), "the analysis");
    report.estimated_bytes = info_[UMFPACK_NUMERIC_SIZE_ESTIMATE] * info_[UMFPACK_SIZE_OF_UNIT];
  }

  DirectForecast forecast(const Columns<S>& a) {
    DirectReport report;
    analyse(a, report);
    return {.factor_entries = info_[UMFPACK_LNZ_ESTIMATE] + info_[UMFPACK_UNZ_ESTIMATE],
            .factor_bytes = report.estimated_bytes,
            .flops = info_[UMFPACK_FLOPS_ESTIMATE]};
  }

  void factorise(const Columns<S>& a, DirectReport& report) {
    const BlasThreads blas = BlasThreads::for_work(info_[UMFPACK_FLOPS_ESTIMATE]);
    const auto status = Calls<S>::numeric(a, symbolic_, &numeric_, control_, info_);
    Calls<S>::free_symbolic(&symbolic_);
    report.rcond = 1;
    if (status == UMFPACK_WARNING_singular_matrix)
      report.rcond = 0;
    else
      check(status, "the factorisation");
    report.factor_bytes = info_[UMFPACK_NUMERIC_SIZE] * info_[UMFPACK_SIZE_OF_UNIT];
    report.factor_entries = static_cast<Offset>(info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ]);
  }

  void solve(const S* b, S* x, bool transposed) override {
    const Columns<S> none;  // without refinement it needs no matrix
    const BlasThreads blas(1);
    check(Calls<S>::solve(transposed ? UMFPACK_Aat : UMFPACK_A, none, x, b, numeric_, control_), "the solution");
  }

 private:
  static void check(SuiteSparse_long status, const char* what) {
    require(status != UMFPACK_ERROR_out_of_memory, "direct: UMFPACK has no memory for ", what);
    require(status >= UMFPACK_OK, "direct: UMFPACK gave up ", what, " with status ", status);
  }

  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
  double control_[UMFPACK_CONTROL] = {};
  double info_[UMFPACK_INFO] = {};
};

}  // namespace

template <class S>
FactorsOf<S> factorise_umfpack(const Columns<S>& a, double max_bytes, const std::function<double()>& likely_bytes,
                               DirectReport& report) {
  auto made = std::make_unique<Umfpack<S>>();
  report.kind = Factorisation::lu;
  report.package = "UMFPACK " + umfpack_version();
  made->analyse(a, report);
  if (report.estimated_bytes > max_bytes) report.estimated_bytes = std::min(report.estimated_bytes, likely_bytes());
  require_memory(report, max_bytes);
  made->factorise(a, report);
  return made;
}

template <class S>
DirectForecast forecast_umfpack(const Columns<S>& a) {
  return Umfpack<S>().forecast(a);
}
template DirectForecast forecast_umfpack(const Columns<double>&);
template DirectForecast forecast_umfpack(const Columns<std::complex<double>>&);

template FactorsOf<double> factorise_umfpack(const Columns<double>&, double, const std::function<double()>&,
                                             DirectReport&);
template FactorsOf<std::complex<double>> factorise_umfpack(const Columns<std::complex<double>>&, double,
                                                           const std::function<double()>&, DirectReport&);

}  // namespace millrace::detail

#endif
