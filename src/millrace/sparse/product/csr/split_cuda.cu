// Products of CSR matrices by the nonzero split on a GPU: the launch.
#include "millrace/sparse/product/csr/split_cuda.cuh"

#include "millrace/sparse/product/csr/csr_cuda.cuh"

namespace millrace::cuda {

template <class A>
void multiply_nnz_split(Queue& queue, const NnzSplit& data, const Index* cols, const A* vals, Offset num_entries,
                        A alpha, const A* x, A beta, A* y) {
  const NnzSplitView split = data.view();
  const std::int64_t words = (split.num_chunks + std::int64_t{1}) * (sizeof(PartialBits<A>) / sizeof(unsigned));
  const auto sums = queue.scratch<A>(2 * std::int64_t{split.num_chunks});
  const auto zeros = queue.zeros(words + split.num_chunks);
  const SplitProduct<A> product{.split = split,
                                .num_entries = num_entries,
                                .num_in_fours = loads_in_fours(cols) && loads_in_fours(vals) ? num_entries : 0,
                                .cols = cols,
                                .vals = vals,
                                .x = x,
                                .alpha = alpha,
                                .beta = beta,
                                .y = y,
                                .partial = {sums.data(), zeros.data() + words},
                                .partial_slots = reinterpret_cast<PartialBits<A>*>(zeros.data())};
  const unsigned blocks = static_cast<unsigned>(split.num_chunks) + num_blocks(split.num_empty, split_threads);
  multiply_split<<<blocks, split_threads, 0, queue.stream()>>>(product);
  check_launch("multiply_split", queue.stream());
}

#define MILLRACE_INSTANTIATE(A) \
  template void multiply_nnz_split(Queue&, const NnzSplit&, const Index*, const A*, Offset, A, const A*, A, A*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
