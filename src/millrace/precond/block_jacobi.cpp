// Block Jacobi: the choice of blocks, and their inverses in the layout of the device.
#include "millrace/precond/block_jacobi.hpp"

#include <atomic>

#include "millrace/base/dense.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/block_jacobi_cuda.hpp"
#include "millrace/precond/block_jacobi_host.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

template <class T>
std::vector<Index> choose_starts(const Csr<T>& a, const BlockJacobiOptions& options) {
  require(options.size >= 0, "block jacobi: blocks of ", options.size, " rows; 1 or more, or 0 to search for them");
  require(options.size == 0 || options.starts.empty(), "block jacobi: give the size of the blocks or their starts");
  if (!options.starts.empty()) {
    require(options.starts.back() == a.num_rows, "block jacobi: the starts of the blocks end with ",
            options.starts.back(), "; they must end with the number of rows, ", a.num_rows);
    return options.starts;
  }
  Index size = options.size;
  if (size == 0) {
    const Csr<T> moved = a.device().on_host() ? Csr<T>() : a.to(Device::host());
    size = find_blocks(sort_rows(a.device().on_host() ? a : moved)).size;
  }
  std::vector<Index> starts;
  for (std::int64_t r = 0; r < a.num_rows; r += size) starts.push_back(static_cast<Index>(r));
  starts.push_back(a.num_rows);
  return starts;
}

/// What host::invert_blocks does, for one type of matrix and of numbers.
template <class View, class A, class S>
Index invert_each(int num_threads, const View& a, const DiagonalBlocksView& blocks, Index largest, bool as_one,
                  S* inverses) {
  std::atomic<Index> bad = blocks.num_blocks;
  std::atomic<Index> next = 0;  // blocks differ in size; the result does not depend on who takes which
  const auto work = [&](int, int) {
    const Offset area = static_cast<Offset>(largest) * largest;
    std::vector<A> block(static_cast<std::size_t>(area)), inverse(static_cast<std::size_t>(area));
    std::vector<Index> rows(static_cast<std::size_t>(largest));
    for (Index b = next++; b < blocks.num_blocks; b = next++) {
      const Index start = blocks.start(b), n = blocks.length(b);
      std::fill(block.begin(), block.end(), A{});
      for (Index i = 0; i < n; ++i)
        for (Offset s = a.row_ptr[start + i]; s < static_cast<Offset>(a.row_ptr[start + i + 1]); ++s)
          if (const Index j = a.cols[s] - start; j >= 0 && j < n)
            block[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] += a.vals[s];
      const bool singular = dense::invert(dense::Block<A>(block.data(), n, n), inverse.data(), rows.data()) < 0;
      if (singular && !as_one)
        for (Index first = bad; b < first && !bad.compare_exchange_weak(first, b);) {
        }
      for (Index i = 0; i < n; ++i) {
        const DiagonalBlockRow row = blocks.row(start + i);
        for (Index j = 0; j < n; ++j) {
          const A value =
              inverse[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)];
          inverses[row.first + j * row.stride] = change_type<S>(singular ? (i == j ? one<A>() : A{}) : value);
        }
      }
    }
  };
  parallel(threads_for(num_threads, a.num_rows, {.flops = Offset{largest} * largest}), work);
  return bad;
}

template <class T>
NarrowArray<T> make_inverses(Queue& queue, const Csr<T>& a, const DiagonalBlocks& blocks, Precision precision,
                             bool as_one, Index& bad) {
  NarrowArray<T> inverses(Device::host(), blocks.num_slots(), precision);
  inverses.visit([&](auto* to) { std::fill(to, to + inverses.size(), std::remove_reference_t<decltype(*to)>{}); });
  const int num_threads = queue.device().on_host() ? queue.num_threads() : default_num_threads();
  bad = host::invert_blocks(num_threads, a, blocks, as_one, inverses);
  return inverses;
}

/// The same numbers in another layout; all on the host.
template <class T>
NarrowArray<T> rearrange(const NarrowArray<T>& from, const DiagonalBlocks& old_blocks,
                         const DiagonalBlocks& new_blocks) {
  NarrowArray<T> to(Device::host(), new_blocks.num_slots(), from.precision());
  const DiagonalBlocksView a = old_blocks.view(), b = new_blocks.view();
  from.visit([&]<class S>(const S* source) {
    to.visit([&]<class R>(R* target) {
      if constexpr (std::is_same_v<R, S>) {
        std::fill(target, target + to.size(), S{});
        for (Index r = 0; r < a.num_rows; ++r) {
          const DiagonalBlockRow old_row = a.row(r), new_row = b.row(r);
          for (Index j = 0; j < old_row.length; ++j)
            target[new_row.first + j * new_row.stride] = source[old_row.first + j * old_row.stride];
        }
      }
    });
  });
  return to;
}

}  // namespace

template <class T>
Index host::invert_blocks(int num_threads, const Csr<T>& a, const DiagonalBlocks& blocks, bool singular_as_one,
                          NarrowArray<T>& inverses) {
  return a.visit_view([&]<class View>(const View& view) {
    return inverses.visit([&]<class S>(S* to) {
      return invert_each<View, Arith<T>, S>(num_threads, view, blocks.view(), blocks.max_size(), singular_as_one, to);
    });
  });
}

template <class T>
BlockJacobi<T>::BlockJacobi(Queue& queue, const Csr<T>& a, const BlockJacobiOptions& options)
    : singular_as_one_(options.singular_as_one) {
  const ThreadLimit limit(queue);
  require_square_here("block jacobi", queue, a);
  blocks_ = DiagonalBlocks(choose_starts(a, options), !a.device().on_host());
  if (!a.device().on_host()) blocks_ = blocks_.to(a.device());
  inverses_ = NarrowArray<T>(a.device(), blocks_.num_slots(), options.precision);
  update_values(queue, a);
}

template <class T>
void BlockJacobi<T>::update_values(Queue& queue, const Csr<T>& a) {
  const ThreadLimit limit(queue);
  require_square_here("block jacobi", queue, a);
  require(a.num_rows == blocks_.num_rows() && a.device() == device(), "block jacobi: update_values needs a matrix of ",
          blocks_.num_rows(), " rows on ", to_string(device()), "; this one has ", a.num_rows, " on ",
          to_string(a.device()));
  Index bad = blocks_.num_blocks();
  if (device().on_host()) {
    NarrowArray<T> made = make_inverses(queue, a, blocks_, inverses_.precision(), singular_as_one_, bad);
    if (bad == blocks_.num_blocks()) inverses_ = std::move(made);
  } else if constexpr (build::cuda) {
    if (blocks_.max_size() <= max_on_gpu) {
      bad = cuda::invert_blocks(queue, a, blocks_, singular_as_one_, inverses_);
    } else {
      const Csr<T> on_host = a.to(Device::host());
      const NarrowArray<T> made = make_inverses(queue, on_host, DiagonalBlocks(blocks_.starts(), true),
                                                inverses_.precision(), singular_as_one_, bad);
      if (bad == blocks_.num_blocks()) inverses_ = made.to(device());
    }
  } else {
    throw Unsupported("block jacobi: a CUDA device was asked for, but this build has no CUDA");
  }
  if (bad == blocks_.num_blocks()) return;
  const auto at = static_cast<std::size_t>(bad);
  require(false, "block jacobi: the block of rows ", blocks_.starts()[at], " to ", blocks_.starts()[at + 1] - 1,
          " is singular; other blocks or the option singular_as_one accept that");
}

template <class T>
BlockJacobi<T> BlockJacobi<T>::to(Device target) const {
  BlockJacobi copy;
  copy.singular_as_one_ = singular_as_one_;
  if (blocks_.sliced() == !target.on_host()) {
    copy.blocks_ = blocks_.to(target);
    copy.inverses_ = inverses_.to(target);
    return copy;
  }
  const DiagonalBlocks here = blocks_.to(Device::host()), there(blocks_.starts(), !target.on_host());
  copy.inverses_ = rearrange(inverses_.to(Device::host()), here, there).to(target);
  copy.blocks_ = there.to(target);
  return copy;
}

template <class T>
Traffic BlockJacobi<T>::traffic(int num_vectors, bool reads_y) const {
  const auto n = static_cast<double>(blocks_.num_rows()), entries = static_cast<double>(blocks_.num_entries());
  Traffic traffic;
  traffic.matrix = entries * static_cast<double>(inverses_.width()) + static_cast<double>(blocks_.moved_bytes());
  traffic.vectors = n * sizeof(T) * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = entries * sizeof(T) + traffic.vectors;
  return traffic;
}

template <class T>
void BlockJacobi<T>::do_apply(Queue& queue, const ApplyRequest<T>& r) const {
  const auto x = arith(r.x);
  const auto y = arith(r.y);
  if (device().on_host()) {
    inverses_.visit([&](const auto* inverses) {
      host::apply_blocks(queue.num_threads(), blocks_.view(), inverses, arith(r.alpha), x, arith(r.beta), y);
    });
  } else if constexpr (build::cuda) {
    cuda::apply_blocks<T>(queue, blocks_, inverses_, arith(r.alpha), x, arith(r.beta), y);
  } else {
    throw Unsupported("block jacobi: a CUDA device was asked for, but this build has no CUDA");
  }
}

template Index host::invert_blocks(int, const Csr<float>&, const DiagonalBlocks&, bool, NarrowArray<float>&);
template Index host::invert_blocks(int, const Csr<double>&, const DiagonalBlocks&, bool, NarrowArray<double>&);
template class BlockJacobi<float>;
template class BlockJacobi<double>;
template class BlockJacobi<std::complex<float>>;
template class BlockJacobi<std::complex<double>>;

}  // namespace millrace
