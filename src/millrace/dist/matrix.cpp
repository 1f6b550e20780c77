// Making it: the halo, the parts, and the mode.
#include "millrace/dist/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/mailbox.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/matrix_state.hpp"

namespace millrace {
namespace {

constexpr int trials = 5;  // of each mode

// Where row i of the user is in the order of a format.
std::vector<Index> places(const Array<Index>& permutation) {
  std::vector<Index> place(to_size(permutation.size()));
  for (std::int64_t i = 0; i < permutation.size(); ++i) place[to_size(permutation.data()[i])] = static_cast<Index>(i);
  return place;
}

// Solvers on a GPU run in graphs, so that is where products are timed: so many in each. 1: they cannot be captured.
int put_into_graphs(Queue& queue, const Comm& comm, std::vector<std::function<void()>>& products) {
  constexpr int products_per_graph = 8;
  for (const auto& product : products) product();
  queue.wait();
  std::vector<std::function<void()>> graphs;
  bool captured = queue.mailbox().kernels_wait();
  for (std::size_t k = 0; captured && k < products.size(); ++k) {
    try {
      graphs.push_back([graph = Graph(queue, products[k], products_per_graph)] { graph.replay(); });
    } catch (const Error&) {
      captured = false;
    }
    captured = comm.all(captured);
  }
  if (!captured) return 1;
  products = std::move(graphs);
  return products_per_graph;
}

}  // namespace

template <class T>
DistributedMatrix<T>::State::State(const Comm& ranks, const HaloRows<T>& here, const DistributedOptions& asked)
    : comm(asked.reproducible ? ranks.reproducible(here.rows.num_rows) : ranks),
      parts(here.parts),
      options(asked),
      device(asked.device),
      mode(asked.reproducible ? Mode::vector : asked.mode),
      reproducible(asked.reproducible) {
  HaloPlan plan = here.plan;
  together(comm, [&] {
    const bool threads = comm.size() == 1 || comm.serves_threads();
    require<Unsupported>(build::cuda || device.on_host(), "distributed matrix: ", to_string(device),
                         " was asked for, but this build has no CUDA");
    require<Unsupported>(!reproducible || device.on_host() || comm.size() == 1,
                         "a reproducible matrix adds with the bits of one rank, which is done on the host; ",
                         to_string(device), " was asked for");
    require<Unsupported>(!reproducible || options.mode == Mode::vector || options.mode == Mode::choose,
                         "a reproducible matrix has undivided rows, so mode vector; ", to_text(options.mode),
                         " was asked for");
    require<Unsupported>(!reproducible || options.format == "csr" || options.format.starts_with("sell"),
                         "a reproducible matrix takes the formats csr and sell; ", options.format, " was asked for");
    require<Unsupported>(mode != Mode::task || threads,
                         "mode task: this MPI serves one thread at a time; vector and overlap are accepted");
    if (mode != Mode::vector) make_split(here, plan);
    if (mode == Mode::vector || mode == Mode::choose) {
      if (reproducible)
        whole.emplace(ascending(here.rows, plan, parts.begin(comm.rank())), options.format, trust);
      else
        whole.emplace(here.rows, options.format, trust);
      require<Unsupported>(!reproducible || !whole->permutation(),
                           "a reproducible matrix keeps the order of its rows; ", options.format,
                           " has one of its own");
      if (whole->permutation()) whole.reset();  // an order of rows and columns is not for those of the halo
    }
    if (mode == Mode::vector && !whole) make_split(here, plan);
  });
  exchange.emplace(comm, std::move(plan));
  if (!device.on_host()) {
    together(comm, [&] {
      for (std::optional<SparseMatrix<T>>* part : {&whole, &local, &nonlocal})
        if (*part) *part = (*part)->to(device);
    });
    if constexpr (build::cuda) make_on_gpu();
  }
  if (mode == Mode::choose) choose();
  if (mode == Mode::vector && whole) local.reset(), nonlocal.reset();
  if (mode != Mode::vector) whole.reset();
}

// Before the undivided rows, so that three copies of the entries are the most there are at a time.
template <class T>
void DistributedMatrix<T>::State::make_split(const HaloRows<T>& here, HaloPlan& plan) {
  SplitRows<T> both = split(here.rows);
  const auto made = [](Csr<T>& part, const std::string& format) {  // CSR is there already
    return format == "csr" ? SparseMatrix<T>(AnyFormat<T>(std::move(part)), trust)
                           : SparseMatrix<T>(part, format, trust);
  };
  local.emplace(made(both.local, options.format));
  nonlocal.emplace(made(both.nonlocal, options.nonlocal_format));
  boundary_rows = both.boundary_rows.to_vector();
  if (const Array<Index>* order = local->permutation()) {
    const std::vector<Index> place = places(*order);
    for (std::vector<Index>* some : {&boundary_rows, &plan.send_rows})
      for (Index& row : *some) row = place[to_size(row)];
  }
  require<Unsupported>(!nonlocal->permutation(), "distributed matrix: format ", options.nonlocal_format,
                       " has an order of its own; the halo needs one without");
}

// All modes in turns, and the slowest rank counts.
template <class T>
void DistributedMatrix<T>::State::choose() {
  mode = Mode::vector;
  if (comm.size() == 1) {
    why = "one rank";
    return;
  }
  std::vector<Mode> modes{Mode::vector, Mode::overlap};
  if (comm.serves_threads()) modes.push_back(Mode::task);
  Queue queue(device);
  const Array<T> x = Array<T>(num_rows(), T(1)).to(device);
  Array<T> y = x.clone();
  std::vector<std::function<void()>> products;
  for (const Mode each : modes) products.push_back([&, each] { apply(queue, {.x = x, .y = y}, each); });
  const int per_run = device.on_host() ? 1 : put_into_graphs(queue, comm, products);
  std::vector<std::vector<double>> times(modes.size());
  for (int k = 0; k <= trials; ++k)
    for (std::size_t m = 0; m < modes.size(); ++m) {
      comm.barrier();
      const auto begin = Clock::now();
      products[m]();
      queue.wait();
      double seconds[] = {seconds_since(begin) / per_run};
      comm.max(seconds);
      if (k > 0) times[m].push_back(seconds[0]);  // the first touches memory
    }
  std::vector<double> medians;
  for (std::vector<double>& some : times) {
    std::ranges::nth_element(some, some.begin() + trials / 2);
    medians.push_back(some[trials / 2]);
  }
  mode = modes[to_size(std::ranges::min_element(medians) - medians.begin())];
  why = "tried:";
  for (std::size_t m = 0; m < modes.size(); ++m)
    why += join(m ? ", " : " ", to_text(modes[m]), " ", std::round(medians[m] * 1e7) / 10, " us");
}

template <class T>
DistributedMatrix<T>::DistributedMatrix(const Comm& comm, const GlobalRows<T>& rows, const DistributedOptions& options)
    : DistributedMatrix(comm, with_halo(comm, rows), options) {}
template <class T>
DistributedMatrix<T>::DistributedMatrix(const Comm& comm, const HaloRows<T>& rows, const DistributedOptions& options)
    : state_(std::make_unique<State>(comm, rows, options)) {}
template <class T>
DistributedMatrix<T>::DistributedMatrix(std::unique_ptr<State> state) : state_(std::move(state)) {}
template <class T>
DistributedMatrix<T>::DistributedMatrix(DistributedMatrix&&) noexcept = default;
template <class T>
DistributedMatrix<T>& DistributedMatrix<T>::operator=(DistributedMatrix&&) noexcept = default;
template <class T>
DistributedMatrix<T>::~DistributedMatrix() = default;

template <class T>
Shape DistributedMatrix<T>::shape() const {
  return state_ ? Shape{state_->num_rows(), state_->num_rows()} : Shape{};
}
template <class T>
Comm DistributedMatrix<T>::comm() const {
  return state_ ? state_->comm : Comm();
}
template <class T>
Device DistributedMatrix<T>::device() const {
  return state_ ? state_->device : Device::host();
}
template <class T>
const Array<Index>* DistributedMatrix<T>::permutation() const {
  return state_ && state_->local ? state_->local->permutation() : nullptr;
}
template <class T>
bool DistributedMatrix<T>::fuses_dot() const {
  return state_ && state_->local && state_->local->fuses_dot();
}
template <class T>
const Partition& DistributedMatrix<T>::partition() const {
  this->require_not_moved("partition");
  return state_->parts;
}
template <class T>
const HaloPlan& DistributedMatrix<T>::halo() const {
  this->require_not_moved("halo");
  return state_->exchange->plan();
}
template <class T>
Mode DistributedMatrix<T>::mode() const {
  this->require_not_moved("mode");
  return state_->mode;
}
template <class T>
Offset DistributedMatrix<T>::num_entries() const {
  this->require_not_moved("num_entries");
  return state_->num_entries();
}
template <class T>
std::string_view DistributedMatrix<T>::format_name() const {
  this->require_not_moved("format_name");
  return (state_->whole ? *state_->whole : *state_->local).format_name();
}

template <class T>
std::string DistributedMatrix<T>::details() const {
  this->require_not_moved("details");
  const State& s = *state_;
  const std::string inside = (s.whole ? *s.whole : *s.local).details();
  return join("mode ", to_text(s.mode), s.why.empty() ? "" : join(" (", s.why, ")"), ", halo of ", s.num_ghosts(),
              " entries from ", s.exchange->plan().from.size(), " ranks", s.waits.empty() ? "" : "; ", s.waits,
              inside.empty() ? "" : "; ", inside);
}

template <class T>
Traffic DistributedMatrix<T>::traffic(int num_vectors, bool reads_y) const {
  this->require_not_moved("traffic");
  const State& s = *state_;
  Traffic sum = (s.whole ? *s.whole : *s.local).traffic(num_vectors, reads_y);
  if (s.whole) {  // x and the halo are put side by side first
    sum.vectors += 2.0 * static_cast<double>(s.num_rows()) * num_vectors * sizeof(T);
  } else {
    const Traffic more = s.nonlocal->traffic(num_vectors, false);
    sum.matrix += more.matrix;
    sum.minimum += more.minimum - more.vectors;
    sum.vectors += more.vectors + 2.0 * static_cast<double>(s.boundary_rows.size()) * num_vectors * sizeof(T);
  }
  sum.halo = s.exchange->bytes(num_vectors);
  return sum;
}

template <class T>
Csr<T> DistributedMatrix<T>::local() const {
  this->require_not_moved("local");
  if (state_->local) return state_->local->to_csr();
  const Csr<T> all = state_->whole->to_csr();
  const auto rows = static_cast<Index>(state_->num_rows());
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols;
  std::vector<T> vals;
  for (Index r = 0; r < rows; ++r) {
    for (Offset s = all.row_begin(r); s < all.row_begin(r + 1); ++s)
      if (all.cols.data()[s] < rows) {
        cols.push_back(all.cols.data()[s]);
        vals.push_back(all.vals.data()[s]);
      }
    row_ptr.push_back(std::ssize(cols));
  }
  return {rows, rows, Array<Offset>(std::span<const Offset>(row_ptr)), Array<Index>(std::span<const Index>(cols)),
          Array<T>(std::span<const T>(vals))};
}

template <class T>
void DistributedMatrix<T>::update_values(Queue& queue, const GlobalRows<T>& same_pattern) {
  const ThreadLimit limit(queue);
  this->require_not_moved("update_values");
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  together(s.comm, [&] {
    check_rows(same_pattern);
    require(same_pattern.first == s.parts.begin(s.comm.rank()) && same_pattern.num_rows() == s.num_rows() &&
                same_pattern.num_cols == s.parts.num_rows(),
            "update_values: rows ", same_pattern.first, " to ", same_pattern.end(), " of ", same_pattern.num_cols,
            "; this rank has ", s.parts.begin(s.comm.rank()), " to ", s.parts.end(s.comm.rank()), " of ",
            s.parts.num_rows());
    const HaloPlan& plan = s.exchange->plan();
    const auto update = [&](SparseMatrix<T>& part, const Csr<T>& values) {
      s.device.on_host() ? part.update_values(queue, values) : part.update_values(queue, values.to(s.device));
    };
    if (s.whole) {
      const Csr<T> rows = undivided(same_pattern, plan);
      update(*s.whole, s.reproducible ? ascending(rows, plan, same_pattern.first) : rows.clone());
    } else {
      const SplitRows<T> both = split(undivided(same_pattern, plan));
      update(*s.local, both.local);
      update(*s.nonlocal, both.nonlocal);
    }
  });
}

template class DistributedMatrix<float>;
template class DistributedMatrix<double>;
template class DistributedMatrix<std::complex<float>>;
template class DistributedMatrix<std::complex<double>>;

}  // namespace millrace
