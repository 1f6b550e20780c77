// A linear system whose rows are all here: it can be reordered at will, and factorised.
#pragma once

#include "millrace/tune/linear_system.hpp"

namespace millrace {

/// |b|, |b - A x| and their ratio into the report, from vectors on the host.
template <class T>
void measure_residual(const Csr<T>& a, const std::vector<T>& b, const std::vector<T>& x, SolveReport& report);

template <class T>
class LocalSystem final : public LinearSystem<T> {
 public:
  /// A square matrix on the host, with sorted rows; it must live longer than this. `max_factor_bytes`: of a direct try,
  /// as DirectOptions has it.
  LocalSystem(Queue& queue, const Csr<T>& a, MatrixOptions options, double max_factor_bytes = 0)
      : LinearSystem<T>(queue), csr_(a), options_(std::move(options)), max_factor_bytes_(max_factor_bytes) {}

  void measure_residual(const std::vector<T>& b, const std::vector<T>& x, SolveReport& report) override {
    millrace::measure_residual(csr_, b, x, report);
  }
  BackwardError backward(const std::vector<T>& b, const std::vector<T>& x) override {
    return backward_error<T>(csr_, b, x);
  }

 private:
  using Wide = WithReal<T, double>;
  using typename LinearSystem<T>::Built;
  using typename LinearSystem<T>::Narrow;
  using LinearSystem<T>::queue_;
  struct Reordered final : Built {
    Csr<T> csr{};  // on the host; empty: as it was given
  };
  struct Factorised {
    std::string method{};
    Csr<Wide> own{};  // where T is narrower
    std::unique_ptr<Direct<Wide>> inverse{};
    std::unique_ptr<Direct<Wide>> shifted{};  // for a singular matrix
  };
  std::unique_ptr<Built> build(const std::string& order) override;
  std::unique_ptr<SystemMatrix<Narrow>> build_narrow(const Built& built) override;
  void attempt_direct(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x,
                      const SolveOptions& asked) override;

  const Csr<T>& csr_;
  MatrixOptions options_;
  double max_factor_bytes_;
  Factorised factorised_{};
};

}  // namespace millrace
