// Incomplete factors on the host, level by level.
#include "millrace/precond/factorise.hpp"

#include "millrace/precond/factorise_rows.hpp"
#include "millrace/sparse/dbf.hpp"

namespace millrace::factor {
namespace {

/// Keeps the smallest of the rows; -1 is none.
void keep_first(std::atomic<Index>& first, Index row) {
  for (Index now = first; (now < 0 || row < now) && !first.compare_exchange_weak(now, row);) {
  }
}

/// U <- D^-1 times what stands there, or the mirrored L. Finds rows with numbers that are not finite.
template <class A>
void finish_row(const FactorView& v, Index i, A* values, BlockWork<A>& work, std::atomic<Index>& bad) {
  const Offset area = static_cast<Offset>(v.block) * v.block;
  const auto finite = [&](const A* block) {
    for (Offset s = 0; s < area; ++s)
      if (!is_finite(block[s])) return false;
    return true;
  };
  bool good = true;
  for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e) good = good && finite(values + Offset{e} * area);
  const A* inverse = values + v.diagonal_slot(i) * area;
  for (auto e = v.upper_ptr[i]; e < v.upper_ptr[i + 1]; ++e) {
    A* u = values + v.upper_slot(e) * area;
    if (v.mirror) {
      u[0] = conjugate(values[v.mirror[e]]);
    } else if (v.block == 1) {
      u[0] = inverse[0] * u[0];
    } else {
      std::copy(u, u + area, work.block.begin());
      std::fill(u, u + area, A{});
      dense::add_product<A>({inverse, v.block, v.block}, {work.block.data(), v.block, v.block},
                            dense::Block<A>(u, v.block, v.block));
    }
    good = good && finite(u);
  }
  if (!good || !finite(inverse)) keep_first(bad, v.order[i]);
}

}  // namespace

template <class T>
void scatter_values(int num_threads, const FactorPattern& pattern, const Csr<T>& a, Arith<T>* values) {
  using A = Arith<T>;
  const FactorView v = pattern.view();
  const Offset area = static_cast<Offset>(v.block) * v.block;
  parallel_for(num_threads, pattern.num_values(),
               [&](std::int64_t begin, std::int64_t end) { std::fill(values + begin, values + end, A{}); });
  const Array<Offset> found = pattern.of_blocks() ? pattern.places_of(a) : Array<Offset>();
  const Offset* places = pattern.of_blocks() ? found.data() : pattern.places().data();
  const A* from = arith(a.vals.data());
  parallel_for(num_threads, a.num_entries(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s)
      if (places[s] >= 0) values[places[s]] = from[s];
  });
  if (v.mirror)
    parallel_for(num_threads, v.num_upper, [&](std::int64_t begin, std::int64_t end) {
      for (auto e = static_cast<FactorView::Entry>(begin); e < end; ++e)
        values[v.upper_slot(e)] = conjugate(values[v.mirror[e]]);
    });
  if (v.num_unknowns % v.block != 0)
    for (Index i = 0; i < v.num_rows; ++i)
      if (v.order[i] == v.num_rows - 1)
        for (Index r = v.num_unknowns % v.block; r < v.block; ++r)
          values[v.diagonal_slot(i) * area + r * (v.block + 1)] = one<A>();
}

template <class T>
void scatter_values(int num_threads, const FactorPattern& pattern, const Dbf<T>& a, Arith<T>* values) {
  const FactorView v = pattern.view();
  const Offset area = static_cast<Offset>(v.block) * v.block, diagonal = v.diagonal_slot(0) * area;
  // A row without a diagonal block has zeros there.
  std::fill(values + diagonal, values + pattern.num_values(), Arith<T>{});
  a.visit_view([&](const auto& view) {
    parallel_for(num_threads, v.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto f = static_cast<Index>(begin); f < end; ++f) {
        const auto row = view.block_row(f);
        const Offset* places = pattern.places().data() + view.blocks_before(f);
        for (Index k = 0; k < row.num_blocks; ++k)
          for (Index j = 0; j < v.block; ++j)
            std::copy_n(row.vals + (Offset{k} * v.block + j) * row.stride, v.block,
                        values + places[k] + Offset{j} * v.block);
      }
    });
  });
}

template <class A>
Outcome factorise(int num_threads, const FactorPattern& pattern, const PivotRule& rule, A* values) {
  const FactorView v = pattern.view();
  const Levels& levels = pattern.levels();
  std::atomic<Index> num_replaced = 0, bad = -1;
  run_levels(levels.team(num_threads), levels.tasks, true, [&](Index begin, Index end) {
    BlockWork<A> work(v.block);
    for (Index i = begin; i < end && bad < 0; ++i) {
      const int replaced =
          v.block == 1 ? eliminate_row(v, i, rule, values) : eliminate_block_row(v, i, rule, values, work);
      if (replaced < 0)
        keep_first(bad, v.order[i]);
      else if (replaced > 0)
        num_replaced += replaced;
    }
  });
  if (bad >= 0) return {num_replaced, bad};
  parallel_for(num_threads, v.num_rows, [&](std::int64_t begin, std::int64_t end) {
    BlockWork<A> work(v.block);
    for (auto i = static_cast<Index>(begin); i < end; ++i) finish_row(v, i, values, work, bad);
  });
  return {num_replaced, bad};
}

#define MILLRACE_INSTANTIATE(T)                                                      \
  template void scatter_values(int, const FactorPattern&, const Csr<T>&, Arith<T>*); \
  template void scatter_values(int, const FactorPattern&, const Dbf<T>&, Arith<T>*); \
  template Outcome factorise(int, const FactorPattern&, const PivotRule&, Arith<T>*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::factor
