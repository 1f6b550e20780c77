// Patterns are borrowed from the matrix that comes in; only values are converted before a format takes both.
#include "millrace/precond/multigrid/level_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/steps.hpp"

namespace millrace::multigrid {
namespace {

/// Calls f with the matrix in W, whose pattern is that of `a`.
template <class W, class T, class F>
void with_values(Queue& queue, const Csr<T>& a, F&& f) {
  if constexpr (std::is_same_v<W, T>) {
    f(a);
  } else {
    const auto values = queue.scratch<W>(a.num_entries());
    constexpr const char* too_large = "amg: a level has numbers beyond the range of a float; ask for full precision";
    if (!queue.device().on_host()) {
      detail::sweep(queue, Comm(), a.num_entries(), ConvertStep<T, W>(W{1}, a.vals.data(), W{0}, values.data()));
      if constexpr (build::cuda) require(cuda::all_finite(queue, values.data(), a.num_entries()), too_large);
    } else
      parallel_for(queue.num_threads(), a.num_entries(), [&](std::int64_t begin, std::int64_t end) {
        W largest = 0;
        for (std::int64_t i = begin; i < end; ++i) {
          const W value = static_cast<W>(a.vals.data()[i]);
          values.data()[i] = value;
          largest = std::max(largest, std::abs(value));
        }
        require(is_finite(largest), too_large);
      });
    std::visit(
        [&]<class RowOffset>(const Array<RowOffset>& row_ptr) {
          f(Csr<W>::wrap(a.num_rows, a.num_cols, row_ptr.device_span(), a.cols.device_span(),
                         DeviceSpan<const W>(a.device(), values.data(), a.num_entries()), trust));
        },
        a.row_ptr);
  }
}

/// The diagonals that have entries, or more than `most`.
template <class W>
Offset count_diagonals(const Csr<W>& a, Offset most) {
  std::vector<Offset> diagonals;  // in the order in which rows show them
  a.visit_view([&](const auto& view) {
    for (Index r = 0; r < a.num_rows && std::ssize(diagonals) <= most; ++r)
      for (Index k = 0, next = 0; k < view.length(r) && std::ssize(diagonals) <= most; ++k) {
        const Offset d = Offset{view.column(view.slot(r, k))} - r;
        const auto from = diagonals.begin() + next;  // after the one of the entry before, as in most rows
        auto at = from != diagonals.end() && *from == d ? from : std::ranges::find(diagonals, d);
        if (at == diagonals.end()) at = diagonals.insert(at, d);
        next = static_cast<Index>(at - diagonals.begin()) + 1;
      }
  });
  return std::ssize(diagonals);
}

}  // namespace

template <class W>
SparseMatrix<W> default_format(Queue& queue, const Csr<W>& a) {
  constexpr Offset most = 32;
  Offset num = 0;
  if (queue.device().on_host())
    num = count_diagonals(a, most);
  else if constexpr (build::cuda)
    num = cuda::count_diagonals(queue, a);
  const bool few = num <= most && 4 * static_cast<double>(a.num_entries()) >= 3 * static_cast<double>(num) * a.num_rows;
  return SparseMatrix<W>(queue, a, few ? "dia" : "csr", trust);
}

template <class W>
template <class T>
LevelMatrix<W>::LevelMatrix(Queue& queue, const Csr<T>& a, const AmgOptions& options) {
  if (options.precision == Precision::bfloat16) {
    require<Unsupported>(queue.device().on_host(), "amg: levels in bfloat16 are of the host so far; on ",
                         to_string(queue.device()), " full and single precision are accepted");
    narrow_ = std::make_unique<NarrowRows<W>>(queue, a);
    return;
  }
  with_values<W>(queue, a, [&](const Csr<W>& values) {
    const auto& asked = [&]() -> const auto& {
      if constexpr (std::is_same_v<W, float>)
        return options.format_single;
      else
        return options.format_double;
    }();
    sparse_ = std::make_unique<SparseMatrix<W>>(asked ? asked(queue, values) : default_format(queue, values));
  });
  require(sparse_->shape() == a.shape() && sparse_->permutation() == nullptr,
          "amg: the format of a level must have its shape and its order; '", sparse_->format_name(), "' is ",
          sparse_->shape().rows, " x ", sparse_->shape().cols, sparse_->permutation() ? " in another order" : "");
}

template <class W>
template <class T>
void LevelMatrix<W>::update(Queue& queue, const Csr<T>& a) {
  if (narrow_) return narrow_->update(queue, a);
  with_values<W>(queue, a, [&](const Csr<W>& values) { sparse_->update_values(queue, values, trust); });
}

template <class W>
std::string LevelMatrix<W>::format() const {
  return narrow_ ? "rows in bfloat16" : std::string(sparse_->format_name());
}

template <class W>
std::int64_t LevelMatrix<W>::bytes() const {
  return narrow_ ? narrow_->bytes() : sparse_->footprint().bytes;
}

#define MILLRACE_INSTANTIATE(W, T)                                                \
  template LevelMatrix<W>::LevelMatrix(Queue&, const Csr<T>&, const AmgOptions&); \
  template void LevelMatrix<W>::update(Queue&, const Csr<T>&)
MILLRACE_INSTANTIATE(float, float);
MILLRACE_INSTANTIATE(float, double);
MILLRACE_INSTANTIATE(double, double);
template SparseMatrix<float> default_format(Queue&, const Csr<float>&);
template SparseMatrix<double> default_format(Queue&, const Csr<double>&);
template class LevelMatrix<float>;
template class LevelMatrix<double>;

}  // namespace millrace::multigrid
