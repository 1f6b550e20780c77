// A linear system whose rows are on many ranks.
#pragma once

#include "millrace/dist/exchange.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/tune/linear_system.hpp"

namespace millrace {

/// A x by a loop over rows, in the order of their entries: once, without a matrix in a format; on a queue of the host.
/// For all ranks.
template <class T>
std::vector<T> plain_product(Queue& queue, const Comm& comm, const GlobalRows<T>& rows, const std::vector<T>& x);

/// All members are for all ranks.
template <class T>
class DistributedSystem final : public LinearSystem<T> {
 public:
  /// Sorted rows on the host; they must live longer than this. `hermitian`: how it is to be scaled.
  DistributedSystem(Queue& queue, const Comm& comm, const HaloRows<T>& rows, DistributedOptions how,
                    FormatChoice format, bool hermitian);

  void measure_residual(const std::vector<T>& b, const std::vector<T>& x, SolveReport& report) override;
  BackwardError backward(const std::vector<T>& b, const std::vector<T>& x) override;

 private:
  using typename LinearSystem<T>::Built;
  using typename LinearSystem<T>::Narrow;
  using LinearSystem<T>::queue_;
  struct Scaled final : Built {
    HaloRows<T> rows{};  // without rows: as they were given
  };
  std::unique_ptr<Built> build(const std::string& order) override;
  std::unique_ptr<SystemMatrix<Narrow>> build_narrow(const Built& built) override;
  void attempt_direct(SolveAttempt&, const std::vector<T>&, std::vector<T>&, const SolveOptions&) override;
  bool everywhere(bool here) const override { return comm_.all(here); }
  Comm comm_;
  const HaloRows<T>& rows_;
  DistributedOptions how_;
  FormatChoice format_;
  bool hermitian_;
  Queue host_{};  // for what is done on the host wherever the matrix is
  Exchange<T> exchange_;
};

}  // namespace millrace
