// Products of CSR matrices on a GPU (csr_cuda.cu), by the schedule of a plan.
#pragma once

#include "millrace/sparse/product/csr/plan.hpp"

namespace millrace::cuda {

/// One vector, real numbers, by the nonzero split (split_cuda.cu).
template <class A>
void multiply_nnz_split(Queue& queue, const NnzSplit& split, const Index* cols, const A* vals, Offset num_entries,
                        A alpha, const A* x, A beta, A* y);

/// One vector, real numbers, with cached columns (cached_cuda.cu).
template <class A>
void multiply_cached_columns(Queue& queue, const CachedColumns& cached, const A* vals, Offset num_entries, A alpha,
                             const A* x, A beta, A* y);
/// Warps that run at once with cached columns of A on a device; 0 where it has no clusters, or too little memory.
template <class A>
Index num_cached_warps(const CachePlacement& placement, Device device);

/// Without a plan: some lanes per row.
template <class A, class RowOffset>
void multiply(Queue& queue, const CsrView<A, RowOffset>& a, const CsrPlan* plan, A alpha, const Vectors<const A>& x,
              A beta, const Vectors<A>& y);

}  // namespace millrace::cuda
