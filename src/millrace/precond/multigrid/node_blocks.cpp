// Inverts blocks where the matrix is, and puts the diagonal in the place of those that cannot be trusted.
#include "millrace/precond/multigrid/node_blocks.hpp"

#include <atomic>
#include <cmath>

#include "millrace/precond/block_jacobi_cuda.hpp"
#include "millrace/precond/block_jacobi_host.hpp"

namespace millrace::multigrid {
namespace {

DiagonalBlocks equal_blocks(Device device, Index num_rows, Index size) {
  std::vector<Index> starts;
  for (std::int64_t r = 0; r <= num_rows; r += size) starts.push_back(static_cast<Index>(r));
  DiagonalBlocks made(std::move(starts), !device.on_host());
  if (device.on_host()) return made;
  return made.to(device);
}

/// Can an inverse be trusted? Of a block with 1 on its diagonal the entries of the inverse say how near to singular it
/// is. Sums of Galerkin products have some hundred roundings: what is larger than `most` is made of those. An identity
/// stands for a singular block, unless the diagonal is one, too.
template <class W, class Entry>
bool is_good(Index n, const W* diagonal, Entry&& entry) {
  constexpr double most = 1e-3 / double{epsilon<W>};
  bool good = true, is_identity = true, is_one = true;
  for (Index i = 0; i < n; ++i) {
    const double root = std::sqrt(std::abs(double{diagonal[i]}));
    is_one = is_one && diagonal[i] == W{1};
    for (Index j = 0; j < n; ++j) {
      const double value{entry(i, j)};
      is_identity = is_identity && value == (i == j ? 1 : 0);
      good = good && std::abs(value) * root * std::sqrt(std::abs(double{diagonal[j]})) <= most;
      if (i == j) good = good && value * double{diagonal[i]} > 0;
    }
  }
  return good && (is_one || !is_identity);
}

}  // namespace

template <class W>
NodeBlocks<W>::NodeBlocks(Device device, Index num_rows, Index size)
    : blocks_(equal_blocks(device, num_rows, size)), inverses_(device, blocks_.num_slots(), Precision::full) {}

template <class W>
Index NodeBlocks<W>::replace_bad(int num_threads, const Array<W>& diagonal, NarrowArray<W>& inverses) const {
  const DiagonalBlocksView view = blocks_.view();  // equal sizes, so that nothing of it is read
  std::atomic<Index> replaced = 0;
  inverses.visit([&]<class S>(S* values) {
    parallel_for(num_threads, view.num_blocks, {.bytes = 64}, [&](std::int64_t begin, std::int64_t end) {
      for (auto b = static_cast<Index>(begin); b < end; ++b) {
        const Index start = view.start(b), n = view.length(b);
        const W* const d = diagonal.data() + start;
        const auto entry = [&](Index i, Index j) -> S& {
          const DiagonalBlockRow row = view.row(start + i);
          return values[row.first + j * row.stride];
        };
        if (is_good<W>(n, d, [&](Index i, Index j) { return change_type<W>(entry(i, j)); })) continue;
        ++replaced;
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) entry(i, j) = change_type<S>(i == j ? W{1} / d[i] : W{0});
      }
    });
  });
  return replaced;
}

template <class W>
void NodeBlocks<W>::update(Queue& queue, const Csr<W>& a, const Array<W>& diagonal) {
  if (device().on_host()) {
    host::invert_blocks(queue.num_threads(), a, blocks_, true, inverses_);
    num_replaced_ = replace_bad(queue.num_threads(), diagonal, inverses_);
  } else if constexpr (build::cuda) {
    cuda::invert_blocks(queue, a, blocks_, true, inverses_);
    NarrowArray<W> here = inverses_.to(Device::host());
    num_replaced_ = replace_bad(default_num_threads(), diagonal.to(Device::host()), here);
    if (num_replaced_ > 0) inverses_ = here.to(device());
  }
}

template <class W>
Traffic NodeBlocks<W>::traffic(int num_vectors, bool reads_y) const {
  Traffic traffic;
  traffic.matrix = static_cast<double>(blocks_.num_entries()) * sizeof(W);
  traffic.vectors = static_cast<double>(blocks_.num_rows()) * sizeof(W) * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = traffic.matrix + traffic.vectors;
  return traffic;
}

template <class W>
void NodeBlocks<W>::do_apply(Queue& queue, const ApplyRequest<W>& r) const {
  if (device().on_host())
    inverses_.visit([&](const auto* inverses) {
      host::apply_blocks(queue.num_threads(), blocks_.view(), inverses, r.alpha, r.x, r.beta, r.y);
    });
  else if constexpr (build::cuda)
    cuda::apply_blocks<W>(queue, blocks_, inverses_, r.alpha, r.x, r.beta, r.y);
}

template class NodeBlocks<float>;
template class NodeBlocks<double>;

}  // namespace millrace::multigrid
