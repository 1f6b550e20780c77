// R and P are sparse matrices of ones, so that nothing here depends on where the vectors live.
#include "millrace/precond/two_level.hpp"

#include <algorithm>

#include "millrace/base/parallel.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/solve/identity.hpp"

namespace millrace {
namespace {

void require_kept(const char* what, std::span<const Index> kept, Index block) {
  require(!kept.empty(), what, ": the coarse system keeps no row of the blocks of ", block, "; 1 to ", block,
          " are accepted");
  for (std::size_t i = 0; i < kept.size(); ++i)
    require(kept[i] >= 0 && kept[i] < block && (i == 0 || kept[i - 1] < kept[i]), what,
            ": the coarse system keeps row ", kept[i], " of blocks of ", block, "; rows of 0..", block - 1,
            " that ascend are accepted");
}

/// P: [num_blocks block, num_blocks kept].
template <class T>
Csr<T> prolongation(Index num_blocks, Index block, std::span<const Index> kept) {
  const auto coarse = static_cast<Index>(kept.size());
  Array<std::int64_t> row_ptr(Offset{num_blocks} * block + 1, 0);
  Array<Index> cols(Offset{num_blocks} * coarse);
  for (Index f = 0; f < num_blocks; ++f)
    for (Index k = 0; k < coarse; ++k) {
      cols.data()[Offset{f} * coarse + k] = f * coarse + k;
      row_ptr.data()[Offset{f} * block + kept[to_size(k)] + 1] = 1;
    }
  for (std::int64_t r = 1; r < row_ptr.size(); ++r) row_ptr.data()[r] += row_ptr.data()[r - 1];
  const Offset num = cols.size();
  return {num_blocks * block, num_blocks * coarse, std::move(row_ptr), std::move(cols), Array<T>(num, T{1})};
}

/// R: its transpose.
template <class T>
Csr<T> restriction(Index num_blocks, Index block, std::span<const Index> kept) {
  const auto coarse = static_cast<Index>(kept.size());
  const Offset num = Offset{num_blocks} * coarse;
  Array<std::int64_t> row_ptr(num + 1);
  Array<Index> cols(num);
  for (Offset r = 0; r <= num; ++r) row_ptr.data()[r] = r;
  for (Index f = 0; f < num_blocks; ++f)
    for (Index k = 0; k < coarse; ++k) cols.data()[Offset{f} * coarse + k] = f * block + kept[to_size(k)];
  return {num_blocks * coarse, num_blocks * block, std::move(row_ptr), std::move(cols), Array<T>(num, T{1})};
}

/// The numbers of the truncated blocks, in the places that `b` has for them.
template <class T>
void copy_truncated(const Dbf<T>& a, std::span<const Index> kept, const Dbf<T>& b, T* values) {
  a.visit_pattern([&](const auto& from) {
    b.visit_pattern([&](const auto& to) {
      parallel_for(default_num_threads(), a.num_block_rows(), [&](std::int64_t begin, std::int64_t end) {
        for (auto f = static_cast<Index>(begin); f < end; ++f) {
          const auto row = from.block_row(f);
          const Offset first = from.place(f).first;
          const auto place = to.place(row.first_row / a.block);  // b has its block rows as they come
          for (Index k = 0; k < row.num_blocks; ++k)
            for (Index j = 0; j < b.block; ++j) {
              const T* column = a.vals.data() + first + (Offset{k} * a.block + kept[to_size(j)]) * row.stride;
              T* target = values + place.first + (Offset{k} * b.block + j) * place.stride;
              for (Index i = 0; i < b.block; ++i) target[i] = column[kept[to_size(i)]];
            }
        }
      });
    });
  });
}

template <class T>
Vectors<const T> read_only(const Vectors<T>& v) {
  return {v.device, v.data, v.size, v.num, v.stride};
}

}  // namespace

template <class T>
Dbf<T> truncated_blocks(const Dbf<T>& a, std::span<const Index> kept) {
  require(a.device().on_host(), "two_level: the matrix lives on ", to_string(a.device()), "; the host is accepted");
  require_kept("two_level", kept, a.block);
  const auto coarse = static_cast<Index>(kept.size());
  std::vector<Index> neighbours(to_size(Offset{a.num_block_rows()} * a.width), -1);
  a.visit_pattern([&](const auto& view) {
    for (Index f = 0; f < a.num_block_rows(); ++f) {
      const auto row = view.block_row(f);
      std::copy_n(row.cols, row.num_blocks, neighbours.data() + Offset{row.first_row / a.block} * a.width);
    }
  });
  Dbf<T> b = [&] {
    const Array<T> zeros(std::ssize(neighbours) * coarse * coarse, T{});
    return Dbf<T>::from_blocks(coarse, a.width, neighbours, zeros.span());
  }();
  copy_truncated(a, kept, b, b.vals.data());
  return b;
}

template <class T>
TwoLevel<T>::TwoLevel(Queue& queue, const SparseMatrix<T>& a, TwoLevelOptions options)
    : a_(&a), options_(std::move(options)) {
  require(std::holds_alternative<Dbf<T>>(a.format()), "two_level: the matrix is stored as ", a.format_name(),
          "; only dense blocks (dbf) are accepted");
  require(a.shape().rows == a.shape().cols, "two_level: the matrix is ", a.shape().rows, " x ", a.shape().cols,
          "; it must be square");
  require_kept("two_level", options_.kept, blocks().block);
  require(options_.steps >= 1, "two_level: ", options_.steps, " steps for the coarse system; 1 or more are accepted");
  if (options_.coarse.order.empty()) options_.coarse.order = options_.smoother.order;
  const Index n = blocks().num_block_rows();
  prolong_.emplace(SparseMatrix<T>(prolongation<T>(n, blocks().block, options_.kept), "csr").to(a.device()));
  restrict_.emplace(SparseMatrix<T>(restriction<T>(n, blocks().block, options_.kept), "csr").to(a.device()));
  update_values(queue);
}

template <class T>
void TwoLevel<T>::update_values(Queue& queue) {
  const ThreadLimit limit(queue);
  if (!device().on_host()) {
    coarse_.emplace(queue, AnyFormat<T>(truncated_blocks(blocks().to(Device::host()), options_.kept).to(device())));
  } else if (coarse_) {  // no second copy, not even for a moment
    copy_truncated(blocks(), options_.kept, coarse_blocks(), coarse_values_.data());
  } else {
    Dbf<T> coarse = truncated_blocks(blocks(), options_.kept);
    coarse_values_ = std::move(coarse.vals);
    coarse.vals = Array<T>::borrow(coarse_values_.device_span());
    coarse_.emplace(queue, AnyFormat<T>(std::move(coarse)));
  }
  if (smoother_) {
    smoother_->update_values(queue, blocks());
    coarse_factors_->update_values(queue, coarse_blocks());
  } else {
    smoother_.emplace(block_ilu0(queue, blocks(), options_.smoother));
    coarse_factors_.emplace(block_ilu0(queue, coarse_blocks(), options_.coarse));
  }
}

template <class T>
Traffic TwoLevel<T>::traffic(int num_vectors, bool reads_y) const {
  const double vector = static_cast<double>(shape().rows) * sizeof(T) * num_vectors;
  Traffic sum{.vectors = (reads_y ? 6 : 3) * vector};
  const auto add = [&](const Operator<T>& part, int times) {
    const Traffic traffic = part.traffic(num_vectors, true);
    sum.matrix += times * traffic.matrix;
    sum.vectors += times * traffic.vectors;
    sum.minimum += times * traffic.minimum;
  };
  add(*a_, 1), add(*smoother_, 1), add(*restrict_, 1), add(*prolong_, 1);
  add(*coarse_, options_.steps), add(*coarse_factors_, options_.steps);
  return sum;
}

template <class T>
void TwoLevel<T>::solve_coarse(Queue& queue, const Vectors<const T>& r, const Vectors<T>& e) const {
  if (options_.solver == CoarseSolver::gmres) {
    SolveOptions solve;
    solve.tolerance = 0;
    solve.max_iterations = solve.restart = options_.steps;
    solve.never_worse = false;  // zero would be no correction
    Identity<T>(r.size, r.device).apply(queue, {.alpha = T{0}, .x = r, .y = e});
    gmres(queue, *coarse_, *coarse_factors_, r, e, solve);
    return;
  }
  coarse_factors_->apply(queue, {.x = r, .y = e});
  const auto memory = queue.scratch<T>(r.size);
  const Vectors<T> left(r.device, memory.data(), r.size);
  for (int step = 1; step < options_.steps; ++step) {
    Identity<T>(r.size, r.device).apply(queue, {.x = r, .y = left});
    coarse_->apply(queue, {.alpha = T{-1}, .x = read_only(e), .beta = T{1}, .y = left});
    coarse_factors_->apply(queue, {.x = read_only(left), .beta = T{1}, .y = e});
  }
}

template <class T>
void TwoLevel<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  const std::int64_t n = shape().rows, num_coarse = coarse_->shape().rows;
  const Identity<T> identity(n, device());
  const auto fine = queue.scratch<T>(2 * n), coarse = queue.scratch<T>(2 * num_coarse);
  const Vectors<T> z(device(), fine.data(), n), left(device(), fine.data() + n, n);
  const Vectors<T> r(device(), coarse.data(), num_coarse), e(device(), coarse.data() + num_coarse, num_coarse);
  for (int v = 0; v < request.x.num; ++v) {
    const Vectors<const T> x(device(), request.x.data + v * request.x.stride, n);
    restrict_->apply(queue, {.x = x, .y = r});
    solve_coarse(queue, read_only(r), e);
    prolong_->apply(queue, {.x = read_only(e), .y = z});
    identity.apply(queue, {.x = x, .y = left});
    a_->apply(queue, {.alpha = T{-1}, .x = read_only(z), .beta = T{1}, .y = left});
    smoother_->apply(queue, {.x = read_only(left), .beta = T{1}, .y = z});
    identity.apply(queue, {.alpha = request.alpha,
                           .x = read_only(z),
                           .beta = request.beta,
                           .y = Vectors<T>(device(), request.y.data + v * request.y.stride, n)});
  }
}

#define MILLRACE_INSTANTIATE(T)                                            \
  template Dbf<T> truncated_blocks(const Dbf<T>&, std::span<const Index>); \
  template class TwoLevel<T>
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
