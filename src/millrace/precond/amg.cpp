// The public edge of multigrid: checks, the types of the cycle, and vectors in and out of it.
#include "millrace/precond/amg.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/block_jacobi.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/precond/multigrid/apply_cycle.hpp"
#include "millrace/precond/multigrid/as_floats.hpp"
#include "millrace/precond/multigrid/hierarchy.hpp"
#include "millrace/precond/multigrid/pattern_hash.hpp"

namespace millrace {

using namespace multigrid;

/// In T, or in float.
template <class T>
struct Amg<T>::Levels {
  std::unique_ptr<Hierarchy<T>> wide;
  std::unique_ptr<Hierarchy<float>> narrow;  // none where T is float
  Device device{};
  std::int64_t num_rows = 0;
  Offset num_entries = 0;
  std::uint64_t hash = 0;  // of the pattern

  template <class F>
  decltype(auto) visit(F&& f) {
    return wide ? f(*wide) : f(*narrow);
  }
};

namespace {

template <class T>
void check(const Queue& queue, const Csr<T>& a, const AmgOptions& o) {
  require_square_here("amg", queue, a);
  require(o.theta >= 0 && o.theta_factor >= 0 && std::isfinite(o.theta) && std::isfinite(o.theta_factor), "amg: theta ",
          o.theta, " and theta_factor ", o.theta_factor, " were given; 0 and more are accepted");
  require<Unsupported>(o.block >= 1 && a.num_rows % o.block == 0, "amg: nodes of ", o.block, " unknowns do not divide ",
                       a.num_rows, " rows; a block of 1 or more that does is accepted");
  require(o.max_levels >= 1 && o.coarsest_rows >= 0 && o.coarsest_rows <= 8192, "amg: ", o.max_levels,
          " levels and a coarsest one of ", o.coarsest_rows, " rows; 1 or more and 0 to 8192 are accepted");
  require(o.cycle_from >= 0 && o.filtered_levels >= 0, "amg: cycle_from ", o.cycle_from, " and filtered_levels ",
          o.filtered_levels, " were given; 0 and more are accepted");
  require(o.damping >= 0 && o.damping < 2, "amg: a damping of ", o.damping, "; 0 to less than 2 are accepted");
  require(o.over_correction > 0 && std::isfinite(o.over_correction), "amg: an over-correction of ", o.over_correction,
          "; positive numbers are accepted");
  require(o.degree >= 1 && (o.smoother != AmgSmoother::fourth_kind_optimal || o.degree <= 6), "amg: a smoother of ",
          o.degree, " products; 1 or more, with optimal weights up to 6, are accepted");
  require(o.ratio > 1 && o.eigenvalue_steps >= 1, "amg: a ratio of ", o.ratio, " and ", o.eigenvalue_steps,
          " steps for the largest eigenvalue; more than 1 and 1 or more are accepted");
  const auto given = std::ssize(o.near_null);
  const auto on_coarser = static_cast<std::int64_t>(a.num_rows > 0 && given > 0 ? given / a.num_rows : o.block);
  require<Unsupported>(o.smoother != AmgSmoother::block_jacobi || queue.device().on_host() ||
                           std::max<std::int64_t>(o.block, on_coarser) <= BlockJacobi<T>::max_on_gpu,
                       "amg: block Jacobi with nodes of ", o.block, " and ", on_coarser, " unknowns on a GPU; up to ",
                       BlockJacobi<T>::max_on_gpu, " are accepted there");
  require(given == 0 || (a.num_rows > 0 && given % a.num_rows == 0 && given / a.num_rows <= 64), "amg: ", given,
          " entries of near-null vectors for ", a.num_rows, " rows; up to 64 whole vectors are accepted");
  for (const double value : o.near_null)
    require(std::isfinite(value), "amg: a near-null vector has the entry ", value, "; finite ones are accepted");
}

}  // namespace

template <class T>
Amg<T>::Amg(Queue& queue, const Csr<T>& a, AmgOptions options)
    : options_(std::move(options)), levels_(std::make_unique<Levels>()) {
  const ThreadLimit limit(queue);
  check(queue, a, options_);
  check_csr(a);
  levels_->device = queue.device();
  levels_->num_rows = a.num_rows;
  levels_->num_entries = a.num_entries();
  levels_->hash = pattern_hash(queue, a);
  if constexpr (!std::is_same_v<T, float>)
    if (options_.precision != Precision::full) {
      with_floats(queue, a, [&](const Csr<float>& floats) {
        levels_->narrow = std::make_unique<Hierarchy<float>>(queue, floats, options_, report_);
      });
      return;
    }
  levels_->wide = std::make_unique<Hierarchy<T>>(queue, a, options_, report_);
}

template <class T>
Amg<T>::~Amg() = default;
template <class T>
Amg<T>::Amg(Amg&&) noexcept = default;
template <class T>
Amg<T>& Amg<T>::operator=(Amg&&) noexcept = default;

template <class T>
Shape Amg<T>::shape() const {
  const std::int64_t n = levels_ ? levels_->num_rows : 0;
  return {n, n};
}

template <class T>
Device Amg<T>::device() const {
  return levels_ ? levels_->device : Device::host();
}

template <class T>
bool Amg<T>::fuses_dot() const {
  return levels_ && levels_->visit([]<class W>(const Hierarchy<W>&) { return cycle_fuses_dot<W, T>; });
}

template <class T>
Traffic Amg<T>::traffic(int num_vectors, bool reads_y) const {
  this->require_not_moved("amg");
  const Traffic one = levels_->visit([](const auto& levels) { return levels.cycle().traffic(); });
  return traffic_of_cycles<T>(one, levels_->num_rows, num_vectors, reads_y);
}

template <class T>
void Amg<T>::update_values(Queue& queue, const Csr<T>& a, Trust trusted) {
  const ThreadLimit limit(queue);
  this->require_not_moved("amg");
  check(queue, a, options_);
  require(a.num_rows == levels_->num_rows && a.num_entries() == levels_->num_entries,
          "amg: update_values needs the pattern of before, ", levels_->num_rows, " rows and ", levels_->num_entries,
          " entries; this matrix has ", a.num_rows, " and ", a.num_entries());
  require(trusted.arrays || levels_->hash == pattern_hash(queue, a),
          "amg: update_values needs the pattern of before; this matrix has as many entries at other places");
  if (levels_->wide) return levels_->wide->update(queue, a, options_, report_);
  if constexpr (!std::is_same_v<T, float>)
    with_floats(queue, a, [&](const Csr<float>& floats) { levels_->narrow->update(queue, floats, options_, report_); });
}

template <class T>
std::vector<Index> Amg<T>::aggregates(int level) const {
  this->require_not_moved("amg");
  return levels_->visit([&](const auto& levels) {
    require(level >= 0 && level < std::ssize(levels.levels()), "amg: there is no level ", level, "; there are ",
            levels.levels().size());
    return levels.levels()[static_cast<std::size_t>(level)].aggregates.of.to_vector();
  });
}

template <class T>
void Amg<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  this->require_not_moved("amg");
  const std::int64_t n = levels_->num_rows;
  if (n == 0) return;
  levels_->visit([&]<class W>(const Hierarchy<W>& levels) {
    apply_cycle<W>(queue, n, request, [&](Queue& own, const W* b, W* x) { levels.cycle().apply(own, b, x); });
  });
}

template class Amg<float>;
template class Amg<double>;

}  // namespace millrace
