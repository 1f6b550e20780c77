// hypre's BoomerAMG (Henson, Yang 2002) as a preconditioner: one cycle of algebraic multigrid. An adapter, for builds
// that found hypre; on the host, for real numbers in double.
#pragma once

#include <memory>

#include "millrace/sparse/csr.hpp"

namespace millrace {

namespace build {
/// What this build contains.
extern const bool hypre;  // was it found? Without it BoomerAmg throws Unsupported
}  // namespace build

/// How BoomerAMG is set up.
struct BoomerAmgOptions {
  double strong_threshold = 0.25;  // hypre advises 0.5 and more in 3D
  int num_sweeps = 1;              // of the smoother, on every level, before and after
  int num_cycles = 1;              // V cycles of one application
  bool symmetric = true;           // an l1-scaled symmetric smoother, for CG; else hybrid Gauss-Seidel
};

/// y = (some V cycles for A y = x from y = 0). Applications from several threads wait for each other, and hypre takes
/// memory of its own. Needs MPI to be running: keep an MpiSession of base/comm.hpp alive. Traffic: the finest matrix as
/// if every sweep and residual read it once (coarse levels, about as much again, are not known to us), x and y once.
class BoomerAmg final : public Operator<double> {
 public:
  BoomerAmg(Queue& queue, const Csr<double>& a, const BoomerAmgOptions& options = {});
  ~BoomerAmg() override;
  BoomerAmg(BoomerAmg&&) noexcept;
  BoomerAmg& operator=(BoomerAmg&&) noexcept;

  Shape shape() const override { return {num_rows_, num_rows_}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  /// New values: coarse levels are chosen and computed again.
  void update_values(Queue& queue, const Csr<double>& a);

 private:
  void do_apply(Queue& queue, const ApplyRequest<double>& request) const override;

  struct Hypre;  // its handles, and a lock
  BoomerAmgOptions options_;
  std::int64_t num_rows_ = 0;
  Offset num_entries_ = 0;
  std::unique_ptr<Hypre> hypre_;
};

}  // namespace millrace
