// QR decompositions of the given vectors, one an aggregate.
#include "millrace/precond/multigrid/near_null.hpp"

#include <cmath>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::multigrid {
namespace {

/// Nodes of every aggregate, ascending.
RowPattern members_of(int num_threads, const Aggregates& aggregates) {
  const auto n = static_cast<Index>(aggregates.of.size());
  RowPattern own{n, aggregates.num, Array<Offset>(Offset{n} + 1), {}};
  for (Index i = 0; i < n; ++i) own.row_ptr.data()[i] = aggregates.of.data()[i] >= 0;
  own.cols = Array<Index>(lengths_to_offsets(num_threads, own.row_ptr.data(), n));
  for (Index i = 0; i < n; ++i)
    if (aggregates.of.data()[i] >= 0) own.cols.data()[own.row_ptr.data()[i]] = aggregates.of.data()[i];
  Array<Offset> unused;
  return transpose_pattern(num_threads, own, unused);
}

/// q [num, rows] becomes orthonormal, r [num, num] what it was made of.
void orthonormalise(double* q, Index rows, Index num, double* r) {
  constexpr double nothing = 1e-10;  // of a vector's length
  std::fill_n(r, num * num, 0.0);
  const auto product = [&](const double* x, const double* y) {
    double sum = 0;
    for (Index i = 0; i < rows; ++i) sum += x[i] * y[i];
    return sum;
  };
  for (Index k = 0; k < num; ++k) {
    double* const column = q + Offset{k} * rows;
    const double length = std::sqrt(product(column, column));
    for (int pass = 0; pass < 2; ++pass)
      for (Index j = 0; j < k; ++j) {
        const double* const other = q + Offset{j} * rows;
        const double along = product(other, column);
        r[j * num + k] += along;
        for (Index i = 0; i < rows; ++i) column[i] -= along * other[i];
      }
    const double left = std::sqrt(product(column, column));
    const bool zero = !(left > nothing * length);
    r[k * num + k] = zero ? 0 : left;
    for (Index i = 0; i < rows; ++i) column[i] = zero ? 0 : column[i] / left;
  }
}

}  // namespace

template <class T>
Tentative<T> make_tentative(Queue& queue, const Aggregates& aggregates, const NearNull<T>& near_null) {
  const int num_threads = queue.num_threads();
  Tentative<T> made;
  const Index block = near_null.block, num = near_null.num;
  made.coarse.block = made.coarse.num = num;
  if (near_null.vectors.empty()) return made;
  made.values = Array<T>(queue, near_null.vectors.size());
  detail::sweep(queue, Comm(), made.values.size(), detail::FillStep<T>(T{0}, made.values.data()));
  made.coarse.vectors = Array<T>(queue, Offset{aggregates.num} * num * num);
  if constexpr (build::cuda)
    if (!queue.device().on_host()) {
      cuda::orthonormalise(queue, aggregates, near_null, made);
      return made;
    }
  const RowPattern members = members_of(num_threads, aggregates);
  parallel(threads_for(num_threads, near_null.vectors.size(), {.flops = num}), [&](int thread, int count) {
    const auto [first, last] = even_part(aggregates.num, thread, count);
    std::vector<double> q, r(to_size(Offset{num} * num));
    for (auto g = static_cast<Index>(first); g < last; ++g) {
      const Index nodes = members.length(g), rows = nodes * block;
      const double scale = std::sqrt(static_cast<double>(nodes));
      q.resize(to_size(Offset{rows} * num));
      const auto row_of = [&](Index i) { return (Offset{members.row(g)[i / block]} * block + i % block) * num; };
      for (Index i = 0; i < rows; ++i)
        for (Index k = 0; k < num; ++k)
          q[to_size(Offset{k} * rows + i)] = static_cast<double>(near_null.vectors.data()[row_of(i) + k]);
      orthonormalise(q.data(), rows, num, r.data());
      for (Index i = 0; i < rows; ++i)
        for (Index k = 0; k < num; ++k)
          made.values.data()[row_of(i) + k] = static_cast<T>(q[to_size(Offset{k} * rows + i)] * scale);
      for (Index k = 0; k < num * num; ++k)
        made.coarse.vectors.data()[Offset{g} * num * num + k] = static_cast<T>(r[to_size(k)] / scale);
    }
  });
  return made;
}

template Tentative<float> make_tentative(Queue&, const Aggregates&, const NearNull<float>&);
template Tentative<double> make_tentative(Queue&, const Aggregates&, const NearNull<double>&);

}  // namespace millrace::multigrid
