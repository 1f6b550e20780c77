// The gather ceiling in the benchmark: no product and no y, so it is checked by the sums of its own tiles.
#include <limits>

#include "millrace/bench/contender.hpp"
#include "millrace/tune/gather.hpp"

namespace millrace::bench {

template <class T>
class Gather {
 public:
  explicit Gather(const Problem<T>& problem)
      : queue_(problem.queue),
        x_(problem.x),
        a_(problem.a.to(problem.queue.device())),
        poison_(num_gather_sums(problem.a.num_entries()), std::numeric_limits<RealOf<T>>::quiet_NaN()),
        sums_(poison_.to(problem.queue.device())),
        reference_(reference_of(problem)) {}

  void run() { gather<T>(queue_, a_, x_, sums_.device_span()); }
  /// Of the last run; the next one finds NaN again.
  CheckResult check() {
    const CheckResult result = reference_.check(sums_.to_vector());
    sums_.assign(poison_.device_span());
    return result;
  }
  std::int64_t sums_bytes() const { return sums_.bytes(); }

 private:
  // A tile is a row of another matrix with the same entries.
  static Reference<T> reference_of(const Problem<T>& problem) {
    const Csr<T>& a = problem.a;
    Array<std::int64_t> tiles(num_gather_sums(a.num_entries()) + 1);
    for (std::int64_t i = 0; i < tiles.size(); ++i) tiles.data()[i] = std::min(a.num_entries(), i * gather_tile);
    const auto rows =
        Csr<T>::template wrap<std::int64_t>(static_cast<Index>(tiles.size() - 1), a.num_cols, tiles.device_span(),
                                            a.cols.device_span(), a.vals.device_span());
    const auto x = Array<T>::borrow({problem.x.device, const_cast<T*>(problem.x.data), problem.x.size});  // only read
    return Reference<T>(rows, x.to_vector(), 1, default_num_threads());
  }

  Queue& queue_;
  Vectors<const T> x_;
  Csr<T> a_;         // on the device
  Array<T> poison_;  // [tiles], all NaN
  Array<T> sums_;    // [tiles], on the device
  Reference<T> reference_;
};

template <class T>
Makers<T> gather_ceiling(const Problem<T>& problem) {
  return {{"gather", [problem] {
             require<Unsupported>(problem.x.num == 1, "the ceiling is of one vector, not of ", problem.x.num);
             require<Unsupported>(problem.a.num_entries() > 0, "the matrix has no entries");
             auto gather = std::make_shared<Gather<T>>(problem);
             const std::int64_t bytes = problem.a.vals.bytes() + problem.a.cols.bytes() + gather->sums_bytes();
             Contender<T> contender;
             contender.facts = {.name = "gather",
                                .format = "csr",
                                .own = false,
                                .ceiling = true,
                                .note = "values, 4-byte columns and x; no rows, no y",
                                .format_bytes = bytes,
                                .moved_bytes = bytes};
             contender.run = [gather] { gather->run(); };
             contender.check = [gather] { return gather->check(); };
             return contender;
           }}};
}

template Makers<float> gather_ceiling(const Problem<float>&);
template Makers<double> gather_ceiling(const Problem<double>&);
template Makers<std::complex<float>> gather_ceiling(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> gather_ceiling(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
