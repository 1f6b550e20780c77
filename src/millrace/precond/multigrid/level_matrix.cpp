// The choice of a format.
#include "millrace/precond/multigrid/level_matrix.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "millrace/precond/multigrid/narrow_diagonals.hpp"
#include "millrace/precond/multigrid/narrow_rows.hpp"
#include "millrace/precond/multigrid/narrow_slices.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {
namespace {

constexpr Offset most_diagonals = 32;

/// The diagonals that have entries, or more than `most` numbers.
template <class W>
std::vector<Index> find_diagonals(Queue& queue, const Csr<W>& a, Offset most) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::find_diagonals(queue, a, most);
  std::vector<Index> diagonals;  // in the order in which rows show them
  a.visit_view([&](const auto& view) {
    for (Index r = 0; r < a.num_rows && std::ssize(diagonals) <= most; ++r)
      for (Index k = 0, next = 0; k < view.length(r) && std::ssize(diagonals) <= most; ++k) {
        const Index d = view.column(view.slot(r, k)) - r;
        const auto from = diagonals.begin() + next;  // after the one of the entry before, as in most rows
        auto at = from != diagonals.end() && *from == d ? from : std::ranges::find(diagonals, d);
        if (at == diagonals.end()) at = diagonals.insert(at, d);
        next = static_cast<Index>(at - diagonals.begin()) + 1;
      }
  });
  return diagonals;
}

/// Are these few, and full enough to be stored as such?
template <class W>
bool are_few(const Csr<W>& a, Offset num_diagonals) {
  return num_diagonals <= most_diagonals &&
         4 * static_cast<double>(a.num_entries()) >= 3 * static_cast<double>(num_diagonals) * a.num_rows;
}

/// What a product with blocks reads, zeros that fill them up included.
template <class W>
double product_bytes(const SparseMatrix<W>& blocks) {
  const Footprint stored = blocks.footprint();
  return static_cast<double>(stored.moved_bytes) + static_cast<double>(stored.artificial_zeros) * sizeof(W);
}

/// The matrix in that format, or nothing where a row has a column twice, for which the format has one place.
template <class W>
std::optional<SparseMatrix<W>> try_format(Queue& queue, const Csr<W>& a, std::string_view format) {
  try {
    return SparseMatrix<W>(queue, a, format, trust);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

template <class W>
SparseMatrix<W> default_format(Queue& queue, const Csr<W>& a, Index block) {
  if (are_few(a, std::ssize(find_diagonals(queue, a, most_diagonals))))
    if (auto made = try_format(queue, a, queue.device().on_host() ? "dia" : "dia-32")) return std::move(*made);
  // One index for block^2 values: full blocks of 3 move 0.7 of the bytes of CSR in double and 0.56 in float, and on the
  // host a product takes half the time of CSR's or less (Neoverse-V1, elasticity on tets). Zeros that fill blocks up
  // cost bytes, too: past a tenth fewer than those of CSR nothing is certain on a GPU. Sizes are those with kernels of
  // their own on both.
  constexpr Index largest = 8;
  constexpr double fewer = 0.9;
  if (block > 1 && block <= largest)
    if (auto made = try_format(queue, a, join("bsr-", block)))
      if (product_bytes(*made) <= fewer * static_cast<double>(a.footprint().bytes)) return std::move(*made);
  return SparseMatrix<W>(queue, a, "csr", trust);
}

template <class W>
LevelMatrix<W>::LevelMatrix(Queue& queue, const Csr<W>& a, Index block, const AmgOptions& options) {
  if (options.precision == Precision::bfloat16) {
    const std::vector<Index> diagonals = find_diagonals(queue, a, most_diagonals);
    if (are_few(a, std::ssize(diagonals)))
      narrow_ = std::make_unique<NarrowDiagonals<W>>(queue, a, diagonals);
    else if (pays_in_slices(queue, a))
      narrow_ = std::make_unique<SlicedMatrix<W>>(queue, a);
    else
      narrow_ = std::make_unique<NarrowRows<W>>(queue, a);
    return;
  }
  const auto& asked = [&]() -> const auto& {
    if constexpr (std::is_same_v<W, float>)
      return options.format_single;
    else
      return options.format_double;
  }();
  sparse_ = std::make_unique<SparseMatrix<W>>(asked ? asked(queue, a) : default_format(queue, a, block));
  require(sparse_->shape() == a.shape() && sparse_->permutation() == nullptr,
          "amg: the format of a level must have its shape and its order; '", sparse_->format_name(), "' is ",
          sparse_->shape().rows, " x ", sparse_->shape().cols, sparse_->permutation() ? " in another order" : "");
}

template <class W>
void LevelMatrix<W>::update(Queue& queue, const Csr<W>& a) {
  if (narrow_) return narrow_->update(queue, a);
  sparse_->update_values(queue, a, trust);
}

template <class W>
std::string LevelMatrix<W>::format() const {
  if (narrow_) return narrow_->format();
  if (const auto* blocks = std::get_if<Bsr<W>>(&sparse_->format())) return join("bsr-", blocks->block);
  return std::string(sparse_->format_name());
}

template <class W>
std::int64_t LevelMatrix<W>::bytes() const {
  return narrow_ ? narrow_->bytes() : sparse_->footprint().bytes;
}

template SparseMatrix<float> default_format(Queue&, const Csr<float>&, Index);
template SparseMatrix<double> default_format(Queue&, const Csr<double>&, Index);
template class LevelMatrix<float>;
template class LevelMatrix<double>;

}  // namespace millrace::multigrid
