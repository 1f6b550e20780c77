// Patterns: a thread marks the columns that its present row has seen. Values: a thread knows the place of each column
// in its present row, and adds there.
#include "millrace/precond/multigrid/galerkin.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {
namespace {

/// The pattern whose row r has the different columns that visit(r, f) hands to f.
template <class Visit>
RowPattern union_pattern(int num_threads, Index num_rows, Index num_cols, bool ascending, Visit&& visit) {
  return collect_rows(num_threads, num_rows, num_cols, [&] {
    return [&, seen_by = std::vector<Index>(to_size(num_cols), -1), row = Array<Index>(num_cols)](
               Index r, std::vector<Index>& list) mutable {
      Index* to = row.data();
      visit(r, [&](Index column) {
        Index& seen = seen_by[to_size(column)];
        if (seen == r) return;
        seen = r;
        *to++ = column;
      });
      if (ascending) std::sort(row.data(), to);
      list.insert(list.end(), row.data(), to);
    };
  });
}

/// values [entries of the product, block, num] = A P. One = 1 where blocks are 1 x 1, known when this is compiled.
template <bool One, class T, class View>
void multiply(const View& a, const Prolongator<T>& p, const RowPattern& product, Index* place, std::int64_t first,
              std::int64_t last, T* values) {
  const Index block = One ? 1 : p.block, num = One ? 1 : p.num;
  const T* const from = p.values.data();
  for (auto node = static_cast<Index>(first); node < last; ++node) {
    const Index length = product.length(node);
    const Index* const cols = product.row(node);
    for (Index k = 0; k < length; ++k) place[cols[k]] = k;
    T* const rows = values + product.row_ptr.data()[node] * block * num;  // [length, block, num]
    std::fill_n(rows, Offset{length} * block * num, T{0});
    for (Index c = 0; c < block; ++c) {
      const Offset r = Offset{node} * block + c;
      for (Offset s = a.row_ptr[r]; s < static_cast<Offset>(a.row_ptr[r + 1]); ++s) {
        const T value = a.vals[s];
        const Index other = One ? a.cols[s] : a.cols[s] / block, d = One ? 0 : a.cols[s] % block;
        for (Offset q = p.pattern.row_ptr.data()[other]; q < p.pattern.row_ptr.data()[other + 1]; ++q) {
          T* const to = rows + (Offset{place[p.pattern.cols.data()[q]]} * block + c) * num;
          for (Index k = 0; k < num; ++k) to[k] += value * from[(q * block + d) * num + k];
        }
      }
    }
  }
}

/// Rows of the coarse matrix: those of A P, added up with the weights of P.
template <bool One, class T, class RowOffset>
void restrict_rows(const RowPattern& transposed, const Offset* entries, const RowPattern& product, const T* values,
                   const Prolongator<T>& p, const RowPattern& coarse, const RowOffset* coarse_ptr, Index* place,
                   std::int64_t first, std::int64_t last, T* out) {
  const Index block = One ? 1 : p.block, num = One ? 1 : p.num;
  for (auto g = static_cast<Index>(first); g < last; ++g) {
    const Index length = coarse.length(g);
    const Index* const cols = coarse.row(g);
    for (Index k = 0; k < length; ++k) place[cols[k]] = k;
    T* const rows = out + coarse_ptr[Offset{g} * num];  // [num, length, num]
    std::fill_n(rows, Offset{length} * num * num, T{0});
    for (Offset t = transposed.row_ptr.data()[g]; t < transposed.row_ptr.data()[g + 1]; ++t) {
      const Index node = transposed.cols.data()[t];
      const T* const weights = p.values.data() + entries[t] * block * num;  // [block, num]
      for (Offset s = product.row_ptr.data()[node]; s < product.row_ptr.data()[node + 1]; ++s) {
        const Offset at = Offset{place[product.cols.data()[s]]} * num;
        const T* const from = values + s * block * num;  // [block, num]
        for (Index c = 0; c < block; ++c)
          for (Index i = 0; i < num; ++i)
            for (Index k = 0; k < num; ++k)
              rows[Offset{i} * length * num + at + k] += weights[c * num + i] * from[c * num + k];
      }
    }
  }
}

}  // namespace

template <class T>
Galerkin<T>::Galerkin(Queue& queue, const Csr<T>& a, const Prolongator<T>& p) : block_(p.block), num_(p.num) {
  const bool one = block_ == 1 && num_ == 1;
  if constexpr (build::cuda)
    if (!queue.device().on_host()) {
      cuda::transpose(queue, p.pattern, transposed_, entries_);
      in_one_ = one;  // unless it turns out that rows are too long
      if (!one) cuda::find_patterns(queue, a, p, transposed_, product_, coarse_);
      return;
    }
  const int num_threads = queue.num_threads();
  const RowPattern& pattern = p.pattern;
  product_ = a.visit_view([&](const auto& view) {
    return union_pattern(num_threads, pattern.num_rows, pattern.num_cols, false, [&](Index node, const auto& add) {
      const Offset end = view.row_ptr[(Offset{node} + 1) * block_];
      for (Offset s = view.row_ptr[Offset{node} * block_]; s < end; ++s) {
        const Index other = view.cols[s] / block_;
        for (Offset q = pattern.row_ptr.data()[other]; q < pattern.row_ptr.data()[other + 1]; ++q)
          add(pattern.cols.data()[q]);
      }
    });
  });
  transposed_ = transpose_pattern(num_threads, pattern, entries_);
  coarse_ = union_pattern(num_threads, pattern.num_cols, pattern.num_cols, true, [&](Index g, const auto& add) {
    for (Index i = 0; i < transposed_.length(g); ++i) {
      const Index node = transposed_.row(g)[i];
      for (Offset s = product_.row_ptr.data()[node]; s < product_.row_ptr.data()[node + 1]; ++s)
        add(product_.cols.data()[s]);
    }
  });
}

template <class T>
Csr<T> Galerkin<T>::make_coarse(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const T* transposed) {
  if constexpr (build::cuda)
    if (in_one_) {
      Csr<T> made;
      if (cuda::sum_coarse(queue, a, p, transposed_of(p, transposed), product_room_, made)) return made;
      in_one_ = false;
      cuda::find_patterns(queue, a, p, transposed_, product_, coarse_);
    }
  Csr<T> made = expand<T>(queue, coarse_, num_, num_);
  update(queue, a, p, made, transposed);
  return made;
}

template <class T>
void Galerkin<T>::find_places([[maybe_unused]] Queue& queue, [[maybe_unused]] const Csr<T>& a,
                              [[maybe_unused]] const Prolongator<T>& p, [[maybe_unused]] const Csr<T>& coarse) {
  if (!in_one_ || places_) return;
  places_.emplace();
  if constexpr (build::cuda) try {
      places_ = cuda::find_places(queue, a, p.pattern, transposed_, coarse);
    } catch (const CudaError&) {  // too little memory
    }
}

template <class T>
void Galerkin<T>::update(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, Csr<T>& coarse,
                         [[maybe_unused]] const T* transposed) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) {
      if (!in_one_) return cuda::update_coarse(queue, a, p, product_, transposed_, entries_, coarse_, coarse);
      const PatternView<T> rows = transposed_of(p, transposed);
      find_places(queue, a, p, coarse);
      if (places_->room > 0) return cuda::add_coarse(queue, a, p, rows, *places_, coarse);
      return require(cuda::sum_coarse(queue, a, p, rows, product_room_, coarse),
                     "amg: rows of a coarse matrix have become longer, though its pattern has not changed");
    }
  const Index num_coarse = coarse_.num_rows;
  const bool one = block_ == 1 && num_ == 1;
  const Team threads = threads_for(queue.num_threads(), product_.num_rows, {.flops = 64});
  const auto values = queue.scratch<T>(product_.num_entries() * block_ * num_);
  const auto places = queue.scratch<Index>(Offset{num_coarse} * threads);  // [threads, num_coarse]
  a.visit_view([&](const auto& view) {
    parallel(threads, [&](int thread, int count) {
      const auto [begin, end] = even_part(product_.num_rows, thread, count);
      Index* const place = places.data() + Offset{thread} * num_coarse;
      (one ? multiply<true, T, decltype(view)> : multiply<false, T, decltype(view)>)(view, p, product_, place, begin,
                                                                                     end, values.data());
    });
  });
  std::visit(
      [&]<class RowOffset>(const Array<RowOffset>& row_ptr) {
        parallel(threads, [&](int thread, int count) {
          const auto [begin, end] = even_part(num_coarse, thread, count);
          Index* const place = places.data() + Offset{thread} * num_coarse;
          (one ? restrict_rows<true, T, RowOffset>
               : restrict_rows<false, T, RowOffset>)(transposed_, entries_.data(), product_, values.data(), p, coarse_,
                                                     row_ptr.data(), place, begin, end, coarse.vals.data());
        });
      },
      coarse.row_ptr);
}

template class Galerkin<float>;
template class Galerkin<double>;

}  // namespace millrace::multigrid
