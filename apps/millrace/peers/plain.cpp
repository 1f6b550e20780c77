// The plain peer: the loop over CSR rows that everybody writes first, with one OpenMP pragma.
// This is the one file outside base/ where OpenMP appears: it is what the library is compared with.
#include "millrace/bench/contender.hpp"
#include "millrace/bench/features.hpp"

namespace millrace::bench {

namespace {

template <class A, class RowOffset>
void multiply(const CsrView<A, RowOffset>& a, const A* x, A* y, int num_vectors, [[maybe_unused]] int num_threads) {
  const Index num_rows = a.num_rows;
#pragma omp parallel for schedule(static) num_threads(num_threads)
  for (Index r = 0; r < num_rows; ++r)
    for (int v = 0; v < num_vectors; ++v) {
      const A* x_v = x + static_cast<Offset>(v) * a.num_cols;
      A sum{};
      for (RowOffset s = a.row_ptr[r]; s < a.row_ptr[r + 1]; ++s) sum = multiply_add(a.vals[s], x_v[a.cols[s]], sum);
      y[static_cast<Offset>(v) * num_rows + r] = sum;
    }
}

}  // namespace

template <class T>
Makers<T> plain_peers(const Problem<T>& problem) {
  return {
      {"plain csr", [problem] {
         const Footprint footprint = problem.a.footprint();
         Contender<T> contender;
         contender.facts = {.name = "plain csr",
                            .format = "csr",
                            .own = false,
                            .note = features::openmp ? "OpenMP, schedule(static)" : "one thread: built without OpenMP",
                            .format_bytes = footprint.bytes,
                            .moved_bytes = footprint.moved_bytes};
         contender.run = [problem] {
           problem.a.visit_view([&](const auto& view) {
             multiply(view, arith(problem.x.data), arith(problem.y.data), problem.x.num, problem.queue.num_threads());
           });
         };
         return contender;
       }}};
}

template Makers<float> plain_peers(const Problem<float>&);
template Makers<double> plain_peers(const Problem<double>&);
template Makers<std::complex<float>> plain_peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> plain_peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
