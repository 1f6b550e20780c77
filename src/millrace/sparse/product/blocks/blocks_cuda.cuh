// Products of dense blocks on a GPU, BSR and DBF alike (blocks_cuda.cu).
#pragma once

#include "millrace/sparse/format/dbf.hpp"

namespace millrace::cuda {

template <class A>
void multiply(Queue& queue, const BsrView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y);

/// y = alpha (A + I) x + beta y with plus_x, for blocks whose diagonal is the identity and not stored.
template <class A>
void multiply(Queue& queue, const DbfView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
              bool plus_x = false);

/// The same for as many vectors as go in groups of 16 and 8 (tensor_cuda.cu): says how many, from the first on.
/// For contiguous blocks of 8 rows and more.
int multiply_with_tensor_cores(Queue& queue, const BsrView<double>& a, double alpha, const Vectors<const double>& x,
                               double beta, const Vectors<double>& y, bool plus_x);
int multiply_with_tensor_cores(Queue& queue, const DbfView<double>& a, double alpha, const Vectors<const double>& x,
                               double beta, const Vectors<double>& y, bool plus_x);

}  // namespace millrace::cuda
