// New values on the same pattern, in every format.
#include "millrace/sparse/product/update_values.hpp"

#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/convert/host_steps.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace {

namespace cuda {
template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern, Trust trusted);
}  // namespace cuda

namespace {

struct Facts {
  Shape shape;
  Offset num_entries;
  Device device;
  bool borrowed;  // are the values the caller's own?
};

template <class Format>
Facts facts_of(const Format& format) {
  bool borrowed = false;
  if constexpr (!is_composite<Format>) borrowed = format.vals.borrowed();
  return {format.shape(), format.num_entries(), format.device(), borrowed};
}

void require_same(const Facts& a, const Facts& source, Device queue) {
  require(a.shape == source.shape && a.num_entries == source.num_entries, "update_values: the matrix is ", a.shape.rows,
          " x ", a.shape.cols, " with ", a.num_entries, " entries, the new values are ", source.shape.rows, " x ",
          source.shape.cols, " with ", source.num_entries);
  require(!a.borrowed, "update_values: the values are the caller's own arrays; change them there");
  require(queue == a.device && source.device == a.device, "update_values: the matrix lives on ", to_string(a.device),
          ", so queue and values must too; they are on ", to_string(queue), " and ", to_string(source.device));
}

/// Values of blocks whose pattern nobody looks at, row by row: each goes to the block at hand or the next one, in most
/// rows. Entries that have no place are left out. Traffic: CSR and the blocks once.
template <class T>
void write_blocks(int num_threads, Bsr<T>& format, const Csr<T>& source) {
  const Index size = format.block;
  const Offset* const block_ptr = format.block_ptr.data();
  const Index* const block_cols = format.block_cols.data();
  const convert::Rows rows = convert::rows_of(source);
  const T* const from = source.vals.data();
  T* const vals = format.vals.data();
  parallel_for(num_threads, format.block_ptr.size() - 1, {.bytes = 128}, [&](std::int64_t begin, std::int64_t end) {
    const Offset past = std::min<Offset>(end * size, format.num_rows);
    for (Offset r = begin * size; r < past; ++r) {
      const Offset first = block_ptr[r / size], last = block_ptr[r / size + 1];
      Offset at = first - 1, low = 0;
      T* to = nullptr;  // this row of the block of columns [low, low + size)
      for (Offset s = rows.begin(r); s < rows.begin(r + 1); ++s) {
        const Index c = rows.cols[s];
        if (!to || c < low || c >= low + size) {
          const Index block = c / size;
          if (++at >= last || block_cols[at] != block) at = first_at_least(block_cols, first, last, block);
          to = at < last && block_cols[at] == block ? vals + at * size * size + r % size : nullptr;
          low = Offset{block} * size;
        }
        if (to) to[(c - low) * size] = from[s];
      }
    }
  });
}

}  // namespace

template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& source, Trust trusted) {
  const ThreadLimit limit(queue);
  require_same(std::visit([](const auto& format) { return facts_of(format); }, a), facts_of(source), queue.device());
  require(trusted.arrays || !queue.capturing(),
          "update_values: the pattern is compared with that of the matrix, which ",
          "cannot be while a CUDA graph is captured; there it is update_values(queue, a, trust)");
  if (!trusted.arrays) check_csr(queue, source);
  if (queue.device().on_host()) {
    if (auto* const blocks = std::get_if<Bsr<T>>(&a); blocks && trusted.arrays)
      return write_blocks(queue.num_threads(), *blocks, source);
    convert::HostSteps steps(queue);
    update_format(steps, a, source, trusted);
  } else if constexpr (build::cuda) {
    cuda::update_values(queue, a, source, trusted);
  }
}

#define MILLRACE_INSTANTIATE(T) template void update_values(Queue&, AnyFormat<T>&, const Csr<T>&, Trust)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
