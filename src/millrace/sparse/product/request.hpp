// One product: the checked request in the numbers that kernels compute with, and the plans that it may
// use.
#pragma once

#include "millrace/base/operator.hpp"

namespace millrace {

struct CsrPlan;
struct TransposePlan;

/// What products read besides the format; each may be null.
struct Plans {
  const CsrPlan* csr = nullptr;              // on a GPU; without it some lanes per row
  const TransposePlan* transpose = nullptr;  // without it the host scatters transposed products, and a GPU has none
};

/// y = alpha A x + beta y for the view of a format.
template <class A>
struct Product {
  A alpha;
  Vectors<const A> x;
  A beta;
  Vectors<A> y;
  DotWith dot = DotWith::none;
  A* dot_result = nullptr;
};

template <class T>
Product<Arith<T>> make_product(const ApplyRequest<T>& r) {
  return {arith(r.alpha), arith(r.x), arith(r.beta), arith(r.y), r.dot, arith(r.dot_result)};
}

}  // namespace millrace
