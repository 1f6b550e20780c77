// Products of dense blocks on a GPU, BSR and DBF alike (blocks_cuda.cu).
#pragma once

#include "millrace/sparse/dbf.hpp"

namespace millrace::cuda {

template <class A>
void multiply(Queue& queue, const BsrView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y);

/// y = alpha (A + I) x + beta y with plus_x, for blocks whose diagonal is the identity and not stored.
template <class A>
void multiply(Queue& queue, const DbfView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
              bool plus_x = false);

}  // namespace millrace::cuda
