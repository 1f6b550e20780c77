// Scaling, the matrix with its halo, and preconditioners of each rank.
#include "millrace/dist/system.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/part_sums.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/facts.hpp"
#include "millrace/solve/by_name.hpp"

namespace millrace {
namespace {

template <class T>
class RankMatrix final : public SystemMatrix<T> {
 public:
  RankMatrix(const Comm& comm, const HaloRows<T>& rows, const DistributedOptions& how, FormatChoice format)
      : a_(comm, rows, how), format_(std::move(format)) {
    const std::string details = a_.details();
    format_.reason += (format_.reason.empty() ? "" : "; ") + details;
    if (const Array<Index>* basis = a_.permutation()) {
      const std::vector<Index> order = basis->to_vector();
      entries_ = sort_rows(permute(a_.local(), order, order));
    } else {
      entries_ = sort_rows(a_.local());
    }
  }
  const Operator<T>& a() const override { return a_; }
  const FormatChoice& format() const override { return format_; }
  Preconditioner<T> preconditioner(Queue& queue, const SolvePlan& plan) const override {
    const PrecondSpec spec = parse_precond(plan.precond);
    const PrecondOptions options{.definite = find_method(plan.method).definite};
    Preconditioner<T> made =
        together(a_.comm(), [&] { return make_preconditioner(queue, spec, entries_, a_, options); });
    const bool alone = spec.name != "none" && spec.name != "jacobi" && spec.name != "chebyshev";
    if (alone && a_.comm().size() > 1)
      made.note = join("on each rank alone, without what couples ranks",
                       made.note.empty() ? "" : "; of rank 0: ", a_.comm().broadcast(made.note));
    return made;
  }

 private:
  DistributedMatrix<T> a_;
  FormatChoice format_;
  Csr<T> entries_;  // of its own columns, in the basis of a()
};

/// The 2-norm over all ranks, scaled so that squares neither overflow nor vanish; the bits of one rank, where the Comm
/// has them.
template <class T>
double norm_over_ranks(const Comm& comm, const std::vector<T>& v) {
  constexpr std::int64_t part = Comm::reproducible_rows;
  double largest[] = {0};
  for (const T& value : v) {
    const double size = std::abs(value);
    if (!(size <= largest[0])) largest[0] = size;  // NaN stays
  }
  const bool finite = comm.all(std::isfinite(largest[0]));
  comm.max(largest);
  if (!finite) return std::nan("");
  if (largest[0] == 0) return 0;
  const double scale = std::exp2(std::floor(std::log2(largest[0])));
  std::vector<double> sums(to_size(std::max<std::int64_t>((std::ssize(v) + part - 1) / part, 1)));
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double size = std::abs(v[i]) / scale;
    sums[i / to_size(part)] += size * size;
  }
  detail::add_parts(comm, sums.data(), std::ssize(sums), 1, part);
  return scale * std::sqrt(sums[0]);
}

}  // namespace

template <class T>
DistributedSystem<T>::DistributedSystem(Queue& queue, const Comm& comm, const HaloRows<T>& rows, DistributedOptions how,
                                        FormatChoice format, bool hermitian)
    : LinearSystem<T>(queue),
      comm_(how.reproducible ? comm.reproducible(rows.rows.num_rows) : comm),
      rows_(rows),
      how_(std::move(how)),
      format_(std::move(format)),
      hermitian_(hermitian),
      exchange_(comm_, rows.plan) {
  how_.format = format_.format;
}

template <class T>
std::vector<T> DistributedSystem<T>::with_ghosts(const std::vector<T>& x) {
  exchange_.start(queue_, x);
  const Vectors<const T> ghosts = exchange_.finish();
  std::vector<T> all = x;
  all.insert(all.end(), ghosts.data, ghosts.data + ghosts.size);
  return all;
}

template <class T>
void DistributedSystem<T>::measure_residual(const std::vector<T>& b, const std::vector<T>& x, SolveReport& report) {
  const std::vector<T> all = with_ghosts(x);
  std::vector<T> r = b;
  for (Index i = 0; i < rows_.rows.num_rows; ++i)
    for (Offset k = rows_.rows.row_begin(i); k < rows_.rows.row_begin(i + 1); ++k)
      r[to_size(i)] -= rows_.rows.vals.data()[k] * all[to_size(rows_.rows.cols.data()[k])];
  report.rhs_norm = norm_over_ranks(comm_, b);
  report.residual = norm_over_ranks(comm_, r);
  report.relative = report.rhs_norm > 0 ? report.residual / report.rhs_norm : report.residual;
}

template <class T>
BackwardError DistributedSystem<T>::backward(const std::vector<T>& b, const std::vector<T>& x) {
  return backward_error<T>(rows_.rows, b, with_ghosts(x), [this](std::span<double> values) { comm_.max(values); });
}

template <class T>
auto DistributedSystem<T>::build(const std::string& order) -> std::unique_ptr<Built> {
  auto next = std::make_unique<Scaled>();
  for (const std::string& word : order_words(order)) {
    require<Unsupported>(word == "scale" || word == "negate", "order '", word, "' works on one rank, and there are ",
                         comm_.size(), "; scale and negate work on many");
    const Csr<T>& now = next->rows.rows.num_cols > 0 ? next->rows.rows : rows_.rows;
    Csr<T> changed;
    if (word == "scale") {
      HaloColumns columns(comm_, rows_.plan);
      next->scaling = equilibrate(now, hermitian_, other_ranks(comm_, columns));
      changed = scaled(now, next->scaling);
      if (next->scaling.needed()) next->scaling.cols.resize(to_size(now.num_rows));  // without the halo's
    } else {
      changed = now.clone();
      for (T& value : changed.vals.span()) value = -value;
      next->negated = true;
    }
    next->rows = {rows_.parts, rows_.plan, std::move(changed)};
  }
  const HaloRows<T>& rows = order.empty() ? rows_ : next->rows;
  next->matrix = std::make_unique<RankMatrix<T>>(comm_, rows, how_, format_);
  return next;
}

template <class T>
auto DistributedSystem<T>::build_narrow(const Built& built) -> std::unique_ptr<SystemMatrix<Narrow>> {
  const HaloRows<T>& rows = built.order.empty() ? rows_ : static_cast<const Scaled&>(built).rows;
  Csr<Narrow> narrow = together(comm_, [&] { return convert_values<Narrow>(rows.rows); });
  return std::make_unique<RankMatrix<Narrow>>(comm_, HaloRows<Narrow>{rows.parts, rows.plan, std::move(narrow)}, how_,
                                              format_);
}

template <class T>
void DistributedSystem<T>::attempt_direct(SolveAttempt&, const std::vector<T>&, std::vector<T>&, const SolveOptions&) {
  throw Unsupported(join("direct: factors are of one rank, and there are ", comm_.size()));
}

template class DistributedSystem<float>;
template class DistributedSystem<double>;
template class DistributedSystem<std::complex<float>>;
template class DistributedSystem<std::complex<double>>;

}  // namespace millrace
