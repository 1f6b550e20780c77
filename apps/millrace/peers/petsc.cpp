// PETSc as a peer. It has no threads: its ranks are processes, one per thread of the queue, and what is timed includes
// sending them to work and hearing that they are done; the note of the contender says how long that takes.
#include <cmath>
#include <memory>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/bench/contender.hpp"
#include "peers/blocks.hpp"
#include "peers/petsc_ranks.hpp"

namespace millrace::bench {

namespace {

constexpr Offset worth_starting = 100000;  // entries; its start takes longer than many products of fewer

// Microseconds of an order to do nothing.
int round_trip(PetscRanks& ranks) {
  Samples samples;
  for (int i = 0; i < 200; ++i) {
    const auto begin = Clock::now();
    ranks.order(PetscOrder::nothing);
    samples.seconds.push_back(seconds_since(begin));
  }
  return static_cast<int>(std::lround(samples.median() * 1e6));
}

Contender<double> make(const Problem<double>& problem, const std::string& type) {
  const int num_ranks = problem.queue.num_threads();
  std::optional<Csr<double>> copy;
  const Csr<double>& a = with_sorted_rows(problem.a, copy);
  constexpr Index sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const bool blocked = type == "baij";
  const Index block_size = blocked ? find_block_size<double>(a, sizes) : 1;
  const auto ranks = std::make_shared<PetscRanks>(
      type, a, block_size, std::span(problem.x.data, static_cast<std::size_t>(a.num_cols)), num_ranks);

  const Offset stored = ranks->head().stored_entries, num_blocks = stored / (Offset{block_size} * block_size);
  const auto index_bytes = [&](Offset num) { return 4 * (num + a.num_rows / block_size + 1); };
  Contender<double> contender;
  contender.facts = {.name = "petsc " + type,
                     .format = blocked         ? "bsr"
                               : type == "aij" ? "csr"
                                               : "sell",
                     .own = false,
                     .note = join("PETSc ", ranks->head().version, blocked ? join(", blocks of ", block_size) : "",
                                  ", ", num_ranks, num_ranks == 1 ? " rank" : " MPI ranks", "; the times include ",
                                  round_trip(*ranks), " us to reach them and back; result left in their memory"),
                     .artificial_zeros = stored - a.num_entries(),
                     .format_bytes = index_bytes(num_blocks) + 8 * stored,
                     .moved_bytes = index_bytes(blocked ? num_blocks : a.num_entries()) + 8 * a.num_entries()};
  contender.run = [problem, ranks, delivered = false]() mutable {
    ranks->order(delivered ? PetscOrder::product : PetscOrder::product_and_copy);
    if (!std::exchange(delivered, true)) std::copy_n(ranks->y().data(), problem.y.size, problem.y.data);
  };
  return contender;
}

}  // namespace

template <class T>
Makers<T> petsc_peers(const Problem<T>& problem) {
  const auto refuse = [](const auto&... parts) -> Makers<T> {
    return {{"petsc", [text = join(parts...)]() -> Contender<T> { throw Unsupported(text); }}};
  };
  const Offset num_entries = problem.a.num_entries();
  if (num_entries <= worth_starting)
    return refuse("starting its ranks is worth while above ", worth_starting, " entries; the matrix has ", num_entries);
  if (problem.x.num != 1) return refuse("this peer multiplies one vector at a time, not ", problem.x.num);
  if constexpr (std::is_same_v<T, double>) {
    Makers<T> makers;
    for (const char* type : {"aij", "sell", "baij"})
      makers.push_back({join("petsc ", type), [problem, type] { return make(problem, type); }});
    return makers;
  }
  return refuse("this peer computes in double, not in ", scalar_name<T>());
}

template Makers<float> petsc_peers(const Problem<float>&);
template Makers<double> petsc_peers(const Problem<double>&);
template Makers<std::complex<float>> petsc_peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> petsc_peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
