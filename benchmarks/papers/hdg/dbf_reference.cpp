// Algorithm 1 of the paper, in two steps.
#include "dbf_reference.hpp"

#include <algorithm>

#include "millrace/base/parallel.hpp"

namespace millrace {
namespace {

template <class T>
Offset inflated_size(const Dbf<T>& a) {
  return static_cast<Offset>(a.num_block_rows()) * a.width * a.block;
}

/// Runs f(block row) for all of them.
template <class T, class F>
void for_block_rows(const Dbf<T>& a, int num_threads, F&& f) {
  parallel(std::clamp(num_threads, 1, std::max(1, a.num_block_rows())), [&](int thread, int count) {
    const auto [begin, end] = even_part(a.num_block_rows(), thread, count);
    for (auto i = static_cast<Index>(begin); i < end; ++i) f(i);
  });
}

}  // namespace

template <class T>
void inflate(const Dbf<T>& a, std::span<const T> x, std::span<T> inflated, int num_threads) {
  require(std::ssize(x) == a.num_cols && std::ssize(inflated) == inflated_size(a), "inflate: x needs ", a.num_cols,
          " entries and the inflated x ", inflated_size(a), "; they have ", x.size(), " and ", inflated.size());
  const Index m = a.block;
  a.visit_view([&](const auto& view) {
    for_block_rows(a, num_threads, [&](Index f) {
      T* to = inflated.data() + static_cast<Offset>(f) * a.width * m;
      const Index *neighbours = view.neighbours_of(f), num_blocks = view.blocks_of(f);
      for (Index k = 0; k < a.width; ++k, to += m) {
        if (k < num_blocks)
          std::copy_n(x.data() + static_cast<Offset>(neighbours[k]) * m, m, to);
        else
          std::fill_n(to, m, T{0});
      }
    });
  });
}

template <class T>
void contract(const Dbf<T>& a, std::span<const T> inflated, std::span<T> y, int num_threads) {
  require(std::ssize(y) == a.num_rows && std::ssize(inflated) == inflated_size(a), "contract: y needs ", a.num_rows,
          " entries and the inflated x ", inflated_size(a), "; they have ", y.size(), " and ", inflated.size());
  const Index m = a.block;
  a.visit_view([&](const auto& view) {
    const auto* inflated_x = arith(inflated.data());
    for_block_rows(a, num_threads, [&](Index f) {
      const auto row = view.block_row(f);
      const auto* x = inflated_x + static_cast<Offset>(f) * a.width * m;
      auto* out = arith(y.data()) + row.first_row;
      const Index num_columns = view.sections[view.section_of(f)].width * m;
      for (Index i = 0; i < m; ++i) {
        Arith<T> sum{};
        for (Index q = 0; q < num_columns; ++q) sum = multiply_add(row.vals[q * row.stride + i], x[q], sum);
        out[i] = sum;
      }
    });
  });
}

#define MILLRACE_INSTANTIATE(T)                                                \
  template void inflate(const Dbf<T>&, std::span<const T>, std::span<T>, int); \
  template void contract(const Dbf<T>&, std::span<const T>, std::span<T>, int)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
