// The actions of a basis and of a restriction on a GPU, each a kernel of its own, through memory: the way for a physics
// that cannot be fused, and what fused kernels are compared with.
#pragma once

#include <span>
#include <vector>

#include "millrace/base/queue.hpp"
#include "millrace/fem/basis_actions.hpp"
#include "millrace/fem/element/data.hpp"

namespace millrace::cuda {

// What basis_actions.hpp calls for a queue of a GPU, with pointers there. Hexes, order 1 to 8, order + 1 or order + 2
// points per direction that are symmetric about 1/2; an Unsupported says so.
template <class T>
void interp(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* u, T* v, Write write);
template <class T>
void interp_transpose(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* v, T* u, Write write);
template <class T>
void grad(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* u, T* v, Write write);
template <class T>
void grad_transpose(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* v, T* u, Write write);
/// Any number of points, dim 1 to 3.
template <class T>
void weight(Queue& queue, const TensorProduct& basis, std::int64_t num_elem, T* w);

/// The tables of a simplex on a GPU, [points, nodes] then [dim, points, nodes]: simplex_action_tables, moved there.
template <class T>
struct SimplexOnGpu {
  const SimplexBasis& basis;
  const T* tables;
};
template <class T>
std::vector<T> simplex_action_tables(const SimplexBasis& basis);

// The same for simplices of any order and rule: products of a table with many columns, each by the variant that the
// table of gemm.hpp has for it.
template <class T>
void interp(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* u, T* v, Write write);
template <class T>
void interp_transpose(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* v, T* u,
                      Write write);
template <class T>
void grad(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* u, T* v, Write write);
template <class T>
void grad_transpose(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* v, T* u, Write write);

// And with tables of the host, which every call brings to the GPU and waits for: an operator keeps a SimplexOnGpu.
template <class T>
void interp(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* u, T* v, Write write);
template <class T>
void interp_transpose(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* v, T* u, Write write);
template <class T>
void grad(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* u, T* v, Write write);
template <class T>
void grad_transpose(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* v, T* u, Write write);
template <class T>
void weight(Queue& queue, const SimplexBasis& basis, std::int64_t num_elem, T* w);

/// An Unsupported if a GPU has no kernel for the basis.
void check_tensor_product(const char* who, const TensorProduct& basis);

/// offsets [num_elem, nodes], negative where constrained.
RestrictionOnGpu make_restriction_on_gpu(Device device, std::span<const Index> offsets, Index num_elem, Index num_nodes,
                                         int comps, std::int64_t comp_stride);

/// u = G x: [num_elem, comps, nodes]; 0 where constrained.
template <class T>
void restrict_to_elements(Queue& queue, const RestrictionOnGpu& r, const T* x, T* u);
/// y = alpha G^T u + beta y, in a fixed order; and y = alpha x + beta y at constrained nodes, which u does not reach.
/// Those that are not listed stay as they are.
template <class T>
void sum_elements(Queue& queue, const RestrictionOnGpu& r, T alpha, const T* u, T beta, T* y,
                  DeviceSpan<const Index> constrained = {}, const T* x = nullptr);

}  // namespace millrace::cuda
