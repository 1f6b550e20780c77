// Prolongation and restriction as the cycle uses them: products with dense blocks, two matrices in CSR whose values can
// be set again, or rows in bfloat16.
#pragma once

#include <memory>

#include "millrace/precond/multigrid/galerkin.hpp"

namespace millrace::multigrid {

/// Where it shares arrays with the prolongator and the Galerkin product, these must live longer, at the places where
/// they are.
template <class W>
class Transfer {
 public:
  virtual ~Transfer() = default;

  virtual const Operator<W>& prolongation() const = 0;
  virtual const Operator<W>& restriction() const = 0;
  /// New values; the patterns are those of before.
  virtual void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) = 0;

  /// Values of the prolongator's transpose in the order of its rows; null where nobody has them.
  virtual const W* restriction_values() const { return nullptr; }
  virtual std::int64_t bytes() const = 0;
  /// Of these, what is the prolongator's and the Galerkin product's own.
  virtual std::int64_t shared_bytes() const { return 0; }
};

/// On the host nodes of several unknowns have dense blocks. narrow: in bfloat16, on a GPU and for nodes of one unknown;
/// both are rounded alike, so that cycles stay symmetric.
template <class W>
std::unique_ptr<Transfer<W>> make_transfer(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin,
                                           bool narrow = false);

extern template std::unique_ptr<Transfer<float>> make_transfer(Queue&, const Prolongator<float>&,
                                                               const Galerkin<float>&, bool);
extern template std::unique_ptr<Transfer<double>> make_transfer(Queue&, const Prolongator<double>&,
                                                                const Galerkin<double>&, bool);

}  // namespace millrace::multigrid
