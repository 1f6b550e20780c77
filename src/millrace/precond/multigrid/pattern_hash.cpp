// One pass over offsets and columns.
#include "millrace/precond/multigrid/pattern_hash.hpp"

#include <atomic>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {

template <class T>
std::uint64_t pattern_hash(Queue& queue, const Csr<T>& a) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::pattern_hash(queue, a);
  std::atomic<std::uint64_t> sum = mix_place(static_cast<std::uint64_t>(a.num_rows), 0);
  const auto add = [&](const auto* numbers, std::int64_t size, std::uint64_t other) {
    parallel_for(queue.num_threads(), size, [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t own = 0;
      for (std::int64_t i = begin; i < end; ++i)
        own += mix_place(static_cast<std::uint64_t>(numbers[i]) ^ other, static_cast<std::uint64_t>(i));
      sum += own;
    });
  };
  a.visit_view([&](const auto& view) { add(view.row_ptr, std::int64_t{a.num_rows} + 1, 0); });
  add(a.cols.data(), a.num_entries(), column_bit);
  return sum;
}

template std::uint64_t pattern_hash(Queue&, const Csr<float>&);
template std::uint64_t pattern_hash(Queue&, const Csr<double>&);

}  // namespace millrace::multigrid
