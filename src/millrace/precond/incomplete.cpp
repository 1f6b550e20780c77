// ILU(0), IC(0) and block ILU(0): attempts of the factorisation, and what an Operator says and does.
#include "millrace/precond/incomplete.hpp"

#include "millrace/base/scalar.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/factorise.hpp"
#include "millrace/precond/factorise_narrow.hpp"
#include "millrace/precond/incomplete_cuda.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/precond/solve_triangles.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

constexpr double first_shift = 1e-3;
constexpr int max_attempts = 60;  // the shift has grown to 2^58 times the first one: all diagonal

/// Tries again with a larger shift while pivots are not positive. attempt(rule) factorises from the start.
template <class Attempt>
IncompleteReport factorise_with_shifts(const char* name, bool hermitian, double eps, const IncompleteOptions& options,
                                       Attempt&& attempt) {
  factor::PivotRule rule{std::max(options.zero_pivot, 64 * eps), options.pivot_replacement, hermitian, options.shift};
  IncompleteReport report;
  for (report.attempts = 1;; ++report.attempts) {
    const factor::Outcome outcome = attempt(rule);
    report.shift = rule.shift;
    report.replaced_pivots = outcome.num_replaced;
    if (outcome.bad_row < 0) return report;
    require(hermitian && report.attempts < max_attempts, name, ": no factors: the pivot of row ", outcome.bad_row,
            hermitian ? " stays negative or is not a number, whatever is added to the diagonal"
                      : " is not a number, or numbers grew beyond all bounds; a shift of the diagonal might help");
    rule.shift = rule.shift > 0 ? 2 * rule.shift : first_shift;
  }
}

template <class T>
void require_square_here(const char* what, const Queue& queue, const Dbf<T>& a) {
  require(a.num_rows == a.num_cols, what, ": the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  require(
      queue.device() == a.device(), what, ": the matrix lives on ", [&] { return to_string(a.device()); },
      ", the queue on ", [&] { return to_string(queue.device()); }, "; both must be on one device");
}

void require_options(const char* what, const IncompleteOptions& options) {
  require(options.block >= 1 && options.block <= host::max_factor_block, what, ": blocks of ", options.block, "; 1 to ",
          host::max_factor_block, " are accepted");
  require(options.sweeps >= 0, what, ": ", options.sweeps, " sweeps; 0 (exact) or more are accepted");
  require(options.zero_pivot >= 0 && options.pivot_replacement > 0 && options.shift >= 0, what,
          ": zero_pivot and shift must not be negative, pivot_replacement must be positive; they are ",
          options.zero_pivot, ", ", options.shift, " and ", options.pivot_replacement);
}

}  // namespace

std::string IncompleteReport::text() const {
  std::string text = join(num_levels, " levels");
  if (replaced_pivots > 0) text += join("; ", replaced_pivots, " pivots were zero and replaced");
  if (shift > 0) text += join("; the diagonal was shifted by ", shift, " of itself");
  if (attempts > 1) text += join(" after ", attempts - 1, " attempts with pivots that were not positive");
  return text;
}

template <class T>
Incomplete<T>::Incomplete(Queue& queue, const Csr<T>& a, bool hermitian, const IncompleteOptions& options)
    : options_(options) {
  const char* what = hermitian ? "ic0" : "ilu0";
  const ThreadLimit limit(queue);  // of the pattern
  require_square_here(what, queue, a);
  require_options(what, options);
  require<Unsupported>(options.block == 1 || (!hermitian && options.sweeps == 0), what, ": blocks of ", options.block,
                       " go with ilu0 and exact solutions only; block = 1 is accepted for ic0 and for sweeps");
  require<Unsupported>(!hermitian || options.order.empty(), what,
                       ": an elimination order goes with ilu0 and block_ilu0 only; permute the matrix for ic0");
  const Csr<T> moved = a.device().on_host() ? Csr<T>() : a.to(Device::host());
  make(queue, a, FactorPattern(a.device().on_host() ? a : moved, options.block, hermitian, options.order));
}

template <class T>
Incomplete<T>::Incomplete(Queue& queue, const Dbf<T>& a, const IncompleteOptions& options) : options_(options) {
  const char* what = "block ilu0";
  const ThreadLimit limit(queue);  // of the pattern
  require_square_here(what, queue, a);
  options_.block = a.block;
  require_options(what, options_);
  require<Unsupported>(options.sweeps == 0, what, ": ", options.sweeps, " sweeps; 0 (exact) is accepted");
  const Dbf<T> moved = a.device().on_host() ? Dbf<T>() : a.to(Device::host());
  make(queue, a, FactorPattern(a.device().on_host() ? a : moved, options.order));
}

template <class T>
template <class Matrix>
void Incomplete<T>::make(Queue& queue, const Matrix& a, FactorPattern pattern) {
  pattern_ = a.device().on_host() ? std::move(pattern) : pattern.to(a.device());
  // Those of the host come with their values.
  factors_ = NarrowArray<T>(a.device(), a.device().on_host() ? 0 : pattern_.num_values(), options_.precision);
  factorise(queue, a);
}

template <class T>
void Incomplete<T>::update_values(Queue& queue, const Csr<T>& a) {
  factorise(queue, a);
}
template <class T>
void Incomplete<T>::update_values(Queue& queue, const Dbf<T>& a) {
  factorise(queue, a);
}

template <class T>
template <class Matrix>
void Incomplete<T>::factorise(Queue& queue, const Matrix& a) {
  using A = Arith<T>;
  const ThreadLimit limit(queue);
  require_square_here(name(), queue, a);
  require(a.device() == device(), name(), ": update_values needs a matrix on ", to_string(device()),
          "; this one is on ", to_string(a.device()));
  pattern_.require_same(name(), a);
  const double eps = std::numeric_limits<RealOf<T>>::epsilon();
  const auto with_shifts = [&](auto&& attempt) {
    report_ = factorise_with_shifts(name(), pattern_.hermitian(), eps, options_, attempt);
    report_.num_levels = pattern_.levels().num_levels();
  };
  const auto in_wide = [&](int num_threads, const FactorPattern& pattern, const Matrix& matrix, A* values) {
    with_shifts([&](const factor::PivotRule& rule) {
      factor::scatter_values(num_threads, pattern, matrix, values);
      return factor::factorise(num_threads, pattern, rule, values);
    });
  };
  // Into the memory of those before. Blocks in float are made from a matrix of doubles as they are, and rounded to
  // bfloat16 from there; other narrow factors from wide ones.
  const auto on_host = [&](int num_threads, const FactorPattern& pattern, const Matrix& matrix, NarrowArray<T>& to) {
    const Offset size = pattern.num_values();
    if (to.size() != size) to = NarrowArray<T>(Device::host(), size, to.precision());
    using Single = typename NarrowArray<T>::Single;
    to.visit([&]<class S>(S* values) {
      if constexpr (std::is_same_v<S, A>) {
        in_wide(num_threads, pattern, matrix, values);
      } else if constexpr (std::is_same_v<Matrix, Dbf<T>> && !std::is_same_v<Single, A>) {
        constexpr bool rounds = !std::is_same_v<S, Single>;
        Array<Single> made(rounds ? size : 0);
        Single* singles = made.data();
        if constexpr (!rounds) singles = values;
        with_shifts([&](const factor::PivotRule& rule) {
          return factor::factorise_narrow(num_threads, pattern, rule, matrix, singles);
        });
        if constexpr (rounds)
          parallel_for(num_threads, size, [&](std::int64_t begin, std::int64_t end) {
            std::transform(singles + begin, singles + end, values + begin, change_type<S, Single>);
          });
      } else {
        Array<A> wide(size);
        in_wide(num_threads, pattern, matrix, wide.data());
        to.assign(num_threads, wide.data());
      }
    });
  };
  const auto moved_from_host = [&] {
    NarrowArray<T> made(Device::host(), 0, factors_.precision());
    on_host(default_num_threads(), pattern_.to(Device::host()), a.to(Device::host()), made);
    factors_ = made.to(device());
  };
  if (device().on_host()) {
    on_host(queue.num_threads(), pattern_, a, factors_);
  } else if constexpr (build::cuda) {
    if constexpr (std::is_same_v<Matrix, Csr<T>>) {
      if (pattern_.block() == 1 && !pattern_.of_blocks())
        with_shifts([&](const factor::PivotRule& rule) { return cuda::factorise(queue, pattern_, a, rule, factors_); });
      else
        moved_from_host();
    } else {
      moved_from_host();
    }
  } else {
    throw Unsupported("ilu0: a CUDA device was asked for, but this build has no CUDA");
  }
}

template <class T>
Incomplete<T> Incomplete<T>::to(Device target) const {
  Incomplete copy;
  copy.options_ = options_;
  copy.report_ = report_;
  copy.pattern_ = pattern_.to(target);
  copy.factors_ = factors_.to(target);
  return copy;
}

template <class T>
Traffic Incomplete<T>::traffic(int num_vectors, bool reads_y) const {
  const double passes = std::max(1, options_.sweeps);
  Traffic traffic;
  traffic.matrix = passes * static_cast<double>(factors_.bytes() + pattern_.index_bytes());
  traffic.vectors = static_cast<double>(pattern_.num_unknowns()) * sizeof(T) * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = static_cast<double>(factors_.size()) * sizeof(T) + traffic.vectors;
  return traffic;
}

template <class T>
void Incomplete<T>::do_apply(Queue& queue, const ApplyRequest<T>& r) const {
  const auto x = arith(r.x);
  const auto y = arith(r.y);
  if (y.size == 0) return;
  if (device().on_host()) {
    factors_.visit([&](const auto* vals) {
      if (options_.sweeps > 0)
        host::sweep_triangles(queue, pattern_, vals, options_.sweeps, arith(r.alpha), x, arith(r.beta), y);
      else
        host::solve_triangles(queue, pattern_, vals, arith(r.alpha), x, arith(r.beta), y);
    });
  } else if constexpr (build::cuda) {
    if (pattern_.block() > 1)
      cuda::solve_block_triangles<T>(queue, pattern_, factors_, arith(r.alpha), x, arith(r.beta), y);
    else if (options_.sweeps > 0)
      cuda::sweep_triangles<T>(queue, pattern_, factors_, options_.sweeps, arith(r.alpha), x, arith(r.beta), y);
    else
      cuda::solve_triangles<T>(queue, pattern_, factors_, arith(r.alpha), x, arith(r.beta), y);
  } else {
    throw Unsupported("ilu0: a CUDA device was asked for, but this build has no CUDA");
  }
}

template <class T>
Incomplete<T> block_ilu0(Queue& queue, const SparseMatrix<T>& a, IncompleteOptions options) {
  require(
      queue.device() == a.device(), "block ilu0: the matrix lives on ", [&] { return to_string(a.device()); },
      ", the queue on ", [&] { return to_string(queue.device()); }, "; both must be on one device");
  if (const Dbf<T>* blocks = std::get_if<Dbf<T>>(&a.format())) return block_ilu0(queue, *blocks, options);
  const Csr<T> csr = a.to_csr();
  options.block = std::visit(
      [&]<class Format>(const Format& format) -> Index {
        if constexpr (is_block_format<Format>)
          return format.block;
        else
          return find_blocks(sort_rows(csr)).size;
      },
      a.format());
  Queue on_host;
  const Incomplete<T> made = ilu0(a.device().on_host() ? queue : on_host, csr, options);
  return made.to(a.device());
}

#define MILLRACE_INSTANTIATE(T) \
  template class Incomplete<T>; \
  template Incomplete<T> block_ilu0(Queue&, const SparseMatrix<T>&, IncompleteOptions)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
