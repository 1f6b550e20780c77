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

/// The entries on the diagonal of a rank's own rows, all that Jacobi looks at.
template <class T>
Csr<T> diagonal_of(const Csr<T>& rows) {
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols;
  std::vector<T> vals;
  for (Index r = 0; r < rows.num_rows; ++r) {
    for (Offset s = rows.row_begin(r); s < rows.row_begin(r + 1); ++s)
      if (rows.cols.data()[s] == r) cols.push_back(r), vals.push_back(rows.vals.data()[s]);
    row_ptr.push_back(std::ssize(cols));
  }
  return Csr<T>(rows.num_rows, rows.num_rows, Array<Offset>(std::span<const Offset>(row_ptr)),
                Array<Index>(std::span<const Index>(cols)), Array<T>(std::span<const T>(vals)));
}

template <class T>
class RankMatrix final : public SystemMatrix<T> {
 public:
  /// The rows must live longer than this; or they come to stay.
  RankMatrix(const Comm& comm, const HaloRows<T>& rows, const DistributedOptions& how, FormatChoice format)
      : rows_(&rows), a_(comm, rows, how), format_(std::move(format)) {
    format_.reason += (format_.reason.empty() ? "" : "; ") + a_.details();
  }
  RankMatrix(const Comm& comm, std::unique_ptr<const HaloRows<T>> rows, const DistributedOptions& how,
             FormatChoice format)
      : RankMatrix(comm, *rows, how, std::move(format)) {
    kept_ = std::move(rows);
  }
  const Operator<T>& a() const override { return a_; }
  const FormatChoice& format() const override { return format_; }
  Preconditioner<T> preconditioner(Queue& queue, const SolvePlan& plan) const override {
    const PrecondSpec spec = parse_precond(plan.precond);
    const PrecondOptions options =
        precond_options(queue, plan, rows_->rows.num_rows, a_.permutation() ? "" : format_.format);
    const bool by_diagonal = spec.name == "none" || spec.name == "jacobi";
    Preconditioner<T> made =
        together(a_.comm(), [&] { return make_preconditioner(queue, spec, own_columns(by_diagonal), a_, options); });
    const bool alone = spec.name != "none" && spec.name != "jacobi" && spec.name != "chebyshev";
    if (alone && a_.comm().size() > 1)
      made.note = join("on each rank alone, without what couples ranks",
                       made.note.empty() ? "" : "; of rank 0: ", a_.comm().broadcast(made.note));
    return made;
  }

 private:
  /// The entries in the columns of its own rows, or on its diagonal, in the basis of a().
  Csr<T> own_columns(bool diagonal_alone) const {
    Csr<T> own = diagonal_alone ? diagonal_of(rows_->rows) : split(rows_->rows).local;
    if (const Array<Index>* basis = a_.permutation()) {
      const std::vector<Index> order = basis->to_vector();
      own = sort_rows(permute(own, order, order));
    }
    return a_.device().on_host() ? std::move(own) : own.to(a_.device());
  }

  std::unique_ptr<const HaloRows<T>> kept_;
  const HaloRows<T>* rows_;
  DistributedMatrix<T> a_;
  FormatChoice format_;
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

/// x, then its halo.
template <class T>
std::vector<T> with_ghosts(Queue& queue, Exchange<T>& exchange, const std::vector<T>& x) {
  exchange.start(queue, x);
  const Vectors<const T> ghosts = exchange.finish();
  std::vector<T> all = x;
  all.insert(all.end(), ghosts.data, ghosts.data + ghosts.size);
  return all;
}

template <class T>
void subtract_product(const Csr<T>& rows, const std::vector<T>& x, std::vector<T>& y) {
  for (Index r = 0; r < rows.num_rows; ++r)
    for (Offset k = rows.row_begin(r); k < rows.row_begin(r + 1); ++k)
      y[to_size(r)] -= rows.vals.data()[k] * x[to_size(rows.cols.data()[k])];
}

}  // namespace

template <class T>
std::vector<T> plain_product(Queue& queue, const Comm& comm, const GlobalRows<T>& rows, const std::vector<T>& x) {
  const HaloRows<T> here = with_halo(comm, rows);
  Exchange<T> exchange(comm, here.plan);
  std::vector<T> y(x.size());
  subtract_product(here.rows, with_ghosts<T>(queue, exchange, x), y);
  for (T& value : y) value = -value;
  return y;
}

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
  how_.device = queue.device();
}

template <class T>
void DistributedSystem<T>::measure_residual(const std::vector<T>& b, const std::vector<T>& x, SolveReport& report) {
  std::vector<T> r = b;
  subtract_product(rows_.rows, with_ghosts<T>(host_, exchange_, x), r);
  report.rhs_norm = norm_over_ranks(comm_, b);
  report.residual = norm_over_ranks(comm_, r);
  report.relative = report.rhs_norm > 0 ? report.residual / report.rhs_norm : report.residual;
}

template <class T>
BackwardError DistributedSystem<T>::backward(const std::vector<T>& b, const std::vector<T>& x) {
  return backward_error<T>(rows_.rows, b, with_ghosts<T>(host_, exchange_, x),
                           [this](std::span<double> values) { comm_.max(values); });
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
  Csr<Narrow> values = together(comm_, [&] { return convert_values<Narrow>(rows.rows); });
  std::unique_ptr<const HaloRows<Narrow>> narrow(new HaloRows<Narrow>{rows.parts, rows.plan, std::move(values)});
  return std::make_unique<RankMatrix<Narrow>>(comm_, std::move(narrow), how_, format_);
}

template <class T>
void DistributedSystem<T>::attempt_direct(SolveAttempt&, const std::vector<T>&, std::vector<T>&, const SolveOptions&) {
  throw Unsupported(join("direct: factors are of one rank, and there are ", comm_.size()));
}

#define MILLRACE_INSTANTIATE(T)        \
  template class DistributedSystem<T>; \
  template std::vector<T> plain_product(Queue&, const Comm&, const GlobalRows<T>&, const std::vector<T>&);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
