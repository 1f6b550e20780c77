// A row of blocks is gathered from the matrix, eliminated, and written where it stays.
#include "millrace/precond/factorise_narrow.hpp"

#include <cmath>
#include <limits>

#include "millrace/base/precision.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/factorise_rows.hpp"
#include "millrace/sparse/dbf.hpp"

namespace millrace::factor {
namespace {

template <class A>
double largest_part(const A& value) {
  if constexpr (is_complex<A>)
    return std::max(std::abs(static_cast<double>(value.re)), std::abs(static_cast<double>(value.im)));
  else
    return std::abs(static_cast<double>(value));
}

/// One row at a time, in wide numbers A.
template <class A, class Stored>
class RowWork {
 public:
  RowWork(const FactorView& view, const PivotRule& rule, Stored* values)
      : v_(view),
        rule_(rule),
        values_(values),
        area_(Offset{view.block} * view.block),
        work_(view.block),
        other_(to_size(area_)) {}

  /// gather(f) calls f(slot, column j, numbers of that column) for what the matrix has in the row. Returns pivots that
  /// were replaced, or -1 for numbers that are not finite.
  template <class Gather>
  int operator()(Index i, Gather&& gather) {
    first_lower_ = v_.lower_ptr[i];
    first_upper_ = v_.upper_ptr[i];
    num_lower_ = Offset{v_.lower_ptr[i + 1]} - first_lower_;
    num_upper_ = Offset{v_.upper_ptr[i + 1]} - first_upper_;
    const Offset diagonal = v_.diagonal_slot(i);
    row_.resize(to_size((num_lower_ + num_upper_ + 1) * area_));
    std::fill_n(at(diagonal), area_, A{});
    gather([&](Offset slot, Index j, const A* from) { std::copy_n(from, v_.block, at(slot) + Offset{j} * v_.block); });
    shift_pivot(rule_, v_.block, at(diagonal));
    for (auto e = v_.lower_ptr[i]; e < v_.lower_ptr[i + 1]; ++e) {
      const Index k = v_.lower_cols[e];
      for_each_meeting(v_, i, k, e + 1, [&](Offset to, FactorView::Entry u) {
        load(v_.upper_slot(u));  // D^-1 times what the elimination had there
        dense::add_product<A>(block(at(e)), block(other_.data()), block(at(to)), from_real<A>(RealOf<A>{-1}));
      });
      load(v_.diagonal_slot(k));
      multiply_into(block(at(e)), block(other_.data()), at(e), work_);
    }
    const int replaced = invert_pivot(rule_, v_.block, at(diagonal), work_);
    if (replaced < 0 || !store(diagonal)) return -1;
    load(diagonal);
    bool good = true;
    for (auto e = v_.lower_ptr[i]; e < v_.lower_ptr[i + 1]; ++e) good = store(e) && good;
    for (auto e = v_.upper_ptr[i]; e < v_.upper_ptr[i + 1]; ++e) {
      A* u = at(v_.upper_slot(e));
      multiply_into(block(other_.data()), block(u), u, work_);
      good = store(v_.upper_slot(e)) && good;
    }
    return good ? replaced : -1;
  }

 private:
  dense::Block<A> block(A* numbers) const { return {numbers, v_.block, v_.block}; }
  /// Where a block of the values lies in the row.
  A* at(Offset slot) {
    Offset local = num_lower_ + num_upper_;
    if (slot < v_.num_lower)
      local = slot - first_lower_;
    else if (slot < v_.diagonal_slot(0))
      local = num_lower_ + slot - v_.upper_slot(first_upper_);
    return row_.data() + local * area_;
  }
  void load(Offset slot) {
    const Stored* from = values_ + slot * area_;
    for (Offset s = 0; s < area_; ++s) other_[to_size(s)] = change_type<A>(from[s]);
  }
  /// False: a number is not finite.
  bool store(Offset slot) {
    const A* from = at(slot);
    Stored* to = values_ + slot * area_;
    double largest = 0;
    bool finite = true;
    for (Offset s = 0; s < area_; ++s) {
      finite = finite && is_finite(from[s]);
      largest = std::max(largest, largest_part(from[s]));
      to[s] = change_type<Stored>(from[s]);
    }
    require(!finite || largest <= std::numeric_limits<float>::max(), "preconditioner in narrow numbers: ", largest,
            " is beyond the range of a float; ask for full precision");
    return finite;
  }

  const FactorView v_;
  const PivotRule rule_;
  Stored* values_;
  Offset area_;
  BlockWork<A> work_;
  std::vector<A> other_;  // a block of another row
  std::vector<A> row_;    // [lower, upper and diagonal blocks, b, b]
  FactorView::Entry first_lower_ = 0, first_upper_ = 0;
  Offset num_lower_ = 0, num_upper_ = 0;
};

}  // namespace

template <class T, class Stored>
Outcome factorise_narrow(int num_threads, const FactorPattern& pattern, const PivotRule& rule, const Dbf<T>& a,
                         Stored* values) {
  using A = Arith<T>;
  const FactorView v = pattern.view();
  const Levels& levels = pattern.levels();
  const Offset area = Offset{v.block} * v.block;
  std::atomic<Index> num_replaced = 0, bad = -1;
  a.visit_view([&](const auto& view) {
    run_levels(levels.team(num_threads), levels.tasks, true, [&](Index begin, Index end) {
      RowWork<A, Stored> eliminate(v, rule, values);
      for (Index i = begin; i < end && bad < 0; ++i) {
        const Index own = v.order[i], f = view.place_of ? view.place_of[own] : own;
        const auto row = view.block_row(f);
        const Offset* places = pattern.places().data() + view.blocks_before(f);
        const int replaced = eliminate(i, [&](auto&& put) {
          for (Index k = 0; k < row.num_blocks; ++k)
            for (Index j = 0; j < v.block; ++j)
              put(places[k] / area, j, row.vals + (Offset{k} * v.block + j) * row.stride);
        });
        if (replaced < 0)
          bad = own;
        else
          num_replaced += replaced;
      }
    });
  });
  return {num_replaced, bad};
}

#define MILLRACE_INSTANTIATE(T, Stored) \
  template Outcome factorise_narrow(int, const FactorPattern&, const PivotRule&, const Dbf<T>&, Stored*)
MILLRACE_INSTANTIATE(double, float);
MILLRACE_INSTANTIATE(std::complex<double>, Complex<float>);

}  // namespace millrace::factor
