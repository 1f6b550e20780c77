// Dense blocks divided by their diagonal: every diagonal block is factorised once, and its block row solved with it.
#include "millrace/precond/scaled_dbf.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/base/dense.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/precision.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/sparse/product/rows_host.hpp"

namespace millrace {

namespace cuda {
template <class A>
void multiply_scaled(Queue& queue, const DbfView<A>& n, A alpha, const Vectors<const A>& x, A beta,
                     const Vectors<A>& y);
}  // namespace cuda

namespace {

/// The factors of a diagonal block and what is solved with them, in double precision whatever it is stored in.
template <class W>
struct BlockRowWork {
  BlockRowWork(Index m, Index width)
      : block(to_size(Offset{m} * m)),
        solutions(to_size(Offset{m} * m * width)),
        pivots(to_size(m)),
        largest(to_size(m)) {}
  std::vector<W> block;      // [m, m], column by column
  std::vector<W> solutions;  // [width, m, m]
  std::vector<Index> pivots;
  std::vector<double> largest;  // [m], of every column

  /// False if the block is singular: a pivot is zero but for the rounding of its column.
  bool factorise() {
    const auto m = static_cast<Index>(pivots.size());
    const dense::Block<W> d(block.data(), m, m);
    for (Index j = 0; j < m; ++j) {
      double& here = largest[to_size(j)] = 0;
      for (Index i = 0; i < m; ++i) here = std::max(here, size_of(d(i, j)));
    }
    if (dense::factorise(d, pivots.data()) < 0) return false;
    for (Index k = 0; k < m; ++k)
      if (!(size_of(d(k, k)) > m * std::numeric_limits<double>::epsilon() * largest[to_size(k)])) return false;
    return true;
  }
};

/// D^{-1} and the blocks of D^{-1} A beside it, by block rows of the matrix.
template <class T>
struct ScaledBlocks {
  Index m, width;           // blocks beside the diagonal, at most, but one at least
  Array<Index> diagonal;    // [num_block_rows], their own numbers
  Array<Index> neighbours;  // [num_block_rows, width], then -1
  Array<T> inverses;        // [num_block_rows, m, m], every block column by column
  Array<T> blocks;          // [num_block_rows, width, m, m]

  explicit ScaledBlocks(const Dbf<T>& a)
      : m(a.block),
        width(std::max(1, a.width - 1)),
        diagonal(a.num_block_rows()),
        neighbours(Offset{a.num_block_rows()} * width, -1),
        inverses(Offset{a.num_block_rows()} * m * m),
        blocks(neighbours.size() * m * m) {
    const Team threads = host::team_of_product(default_num_threads(), a.vals.size() * m);
    a.visit_view([&](const auto& view) {
      parallel(threads, [&](int thread, int count) {
        const auto [begin, end] = even_part(view.num_block_rows(), thread, count);
        Work work(m, width + 1);
        for (auto f = static_cast<Index>(begin); f < end; ++f) scale_block_row(view, a.vals.data(), f, work);
      });
    });
  }

 private:
  using Wide = Arith<WithReal<T, double>>;
  using Work = BlockRowWork<Wide>;

  template <class View>
  void scale_block_row(const View& view, const T* vals, Index f, Work& work) {
    const auto at = view.place(f);
    const auto row = view.block_row(f);
    const Index block_row = row.first_row / m, *end = row.cols + row.num_blocks;
    const Index* own = std::find(row.cols, end, block_row);
    require(own != end, "scaled dbf: block row ", block_row, " has no diagonal block, by which it could be divided");
    const auto copy_block = [&](Offset k, Wide* to) {
      for (Index j = 0; j < m; ++j)
        for (Index i = 0; i < m; ++i)
          to[Offset{j} * m + i] = change_type<Wide>(arith(vals[at.first + (k * m + j) * at.stride + i]));
    };
    copy_block(own - row.cols, work.block.data());
    require(work.factorise(), "scaled dbf: the diagonal block of block row ", block_row, " is singular (rows from ",
            Offset{block_row} * m, ", blocks of ", m, "); it must have an inverse");

    const Offset area = Offset{m} * m;
    Wide* solutions = work.solutions.data();  // the identity, then the blocks beside the diagonal
    std::fill(solutions, solutions + area, Wide{});
    for (Index i = 0; i < m; ++i) solutions[Offset{i} * (m + 1)] = one<Wide>();
    Index num = 1;
    diagonal.data()[block_row] = block_row;
    for (Index k = 0; k < row.num_blocks; ++k) {
      if (row.cols[k] == block_row) continue;
      neighbours.data()[Offset{block_row} * width + num - 1] = row.cols[k];
      copy_block(k, solutions + num++ * area);
    }
    dense::solve(dense::Block<const Wide>(work.block.data(), m, m), work.pivots.data(),
                 dense::Block<Wide>(solutions, m, num * m));
    const auto write = [](const Wide* from, Offset size, T* to) {
      for (Offset s = 0; s < size; ++s) to[s] = from_arith<T>(change_type<Arith<T>>(from[s]));
    };
    write(solutions, area, inverses.data() + block_row * area);
    write(solutions + area, (num - 1) * area, blocks.data() + Offset{block_row} * width * area);
  }
};

template <class T>
const Dbf<T>& checked(const Dbf<T>& a) {
  require(a.device().on_host(), "scaled dbf: the matrix lives on ", to_string(a.device()),
          "; its diagonal is factorised on the host");
  require(a.num_rows == a.num_cols, "scaled dbf: the matrix is ", a.num_rows, " x ", a.num_cols,
          "; only square ones have a diagonal of blocks");
  return a;
}

template <class T>
Dbf<T> blocks_of(const Csr<T>& a, Index m) {
  require(m >= 1, "scaled dbf: blocks of ", m, "; sizes from 1 to ", Dbf<T>::max_block, " are accepted");
  return Dbf<T>::from_csr(a, parse_format_spec(join("dbf-", m)));
}

template <class T>
bool same_pattern(const Dbf<T>& a, const Dbf<T>& b) {
  return a.shape() == b.shape() && a.block == b.block && a.sections.size() == b.sections.size() &&
         a.neighbours.to_vector() == b.neighbours.to_vector() &&
         a.block_row_of.to_vector() == b.block_row_of.to_vector();
}

}  // namespace

template <class T>
ScaledDbf<T>::ScaledDbf(const Dbf<T>& a)
    : ScaledDbf([&] {
        const ScaledBlocks<T> scaled(checked(a));
        const auto dbf = [&](Index width, const Array<Index>& neighbours, const Array<T>& blocks) {
          return Dbf<T>::from_blocks(a.block, width, neighbours.span(), blocks.span(), 1, a.sections.size() > 2);
        };
        return ScaledDbf(SparseMatrix<T>(dbf(1, scaled.diagonal, scaled.inverses)),
                         dbf(scaled.width, scaled.neighbours, scaled.blocks));
      }()) {}

template <class T>
ScaledDbf<T>::ScaledDbf(const Csr<T>& a, Index m) : ScaledDbf(blocks_of(a, m)) {}

template <class T>
Traffic ScaledDbf<T>::traffic(int num_vectors, bool reads_y) const {
  Traffic traffic;
  traffic.matrix = static_cast<double>(off_diagonal_.footprint().moved_bytes);
  traffic.vectors = static_cast<double>(sizeof(T)) * num_vectors * (reads_y ? 3 : 2) * off_diagonal_.num_rows;
  traffic.minimum = static_cast<double>(sizeof(T)) * static_cast<double>(off_diagonal_.entries) + traffic.vectors;
  return traffic;
}

template <class T>
void ScaledDbf<T>::scale(Queue& queue, const Vectors<const T>& b, const Vectors<T>& y) const {
  const ThreadLimit limit(queue);
  inverse_.apply(queue, {.x = b, .y = y});
}

template <class T>
ScaledDbf<T> ScaledDbf<T>::to(Device target) const {
  return {inverse_.to(target), off_diagonal_.to(target)};
}

template <class T>
void ScaledDbf<T>::update_values(Queue& queue, const Csr<T>& same_blocks) {
  update_values(queue, blocks_of(same_blocks, block_size()));
}

template <class T>
void ScaledDbf<T>::update_values(Queue& queue, const Dbf<T>& same_blocks) {
  const ThreadLimit limit(queue);
  require(queue.device() == device(), "update_values: the operator lives on ", to_string(device()),
          ", so the queue must too; it is on ", to_string(queue.device()));
  ScaledDbf fresh(same_blocks);
  require(same_pattern(off_diagonal_, fresh.off_diagonal_),
          "update_values: the new matrix has other blocks than the operator; only values may change");
  queue.wait();
  if (device().on_host()) {
    *this = std::move(fresh);
  } else {
    inverse_.update_values(queue, fresh.inverse_.to_csr().to(device()));
    off_diagonal_.vals.assign(fresh.off_diagonal_.vals.span());
    queue.wait();
  }
}

template <class T>
void ScaledDbf<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  using A = Arith<T>;
  const A alpha = arith(request.alpha), beta = arith(request.beta);
  const Vectors<const A> x(request.x.device, arith(request.x.data), request.x.size, request.x.num, request.x.stride);
  const Vectors<A> y(request.y.device, arith(request.y.data), request.y.size, request.y.num, request.y.stride);
  off_diagonal_.visit_view([&](const DbfView<A>& n) {
    if (!queue.device().on_host()) {
      if constexpr (build::cuda)
        cuda::multiply_scaled(queue, n, alpha, x, beta, y);
      else
        throw Unsupported("scaled dbf: a CUDA device was asked for, but this build has no CUDA");
    } else if constexpr (is_complex<T>) {
      host::multiply(queue.num_threads(), n, alpha, x, beta, y);
      parallel_for(queue.num_threads(), x.size, [&](std::int64_t begin, std::int64_t end) {
        for (int v = 0; v < x.num; ++v)
          for (std::int64_t i = begin; i < end; ++i) {
            A& out = y.data[v * y.stride + i];
            out = multiply_add(alpha, x.data[v * x.stride + i], out);
          }
      });
    } else {
      host::multiply(queue.num_threads(), n, alpha, x, beta, y, true);
    }
  });
}

template class ScaledDbf<float>;
template class ScaledDbf<double>;
template class ScaledDbf<std::complex<float>>;
template class ScaledDbf<std::complex<double>>;

}  // namespace millrace
