// Runs every variant of a product, checks it, times it, and keeps the fastest.
#include "verbs/tune_gemm/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/array.hpp"
#include "millrace/base/error.hpp"
#include "millrace/fem/basis/element_basis.hpp"
#include "millrace/fem/gemm/gemm_cuda.hpp"

namespace millrace::command {
namespace {

/// Numbers in [-1, 1] without a pattern, as many as a vector may have; made once and doubled on the device.
template <class T>
Array<T> make_numbers(Queue& queue, std::int64_t size) {
  const std::int64_t first = std::min<std::int64_t>(size, 1 << 20);
  std::vector<T> some(static_cast<std::size_t>(first));
  for (std::size_t i = 0; i < some.size(); ++i)
    some[i] = static_cast<T>(std::sin(static_cast<double>(i * 7919 % 10007)));
  Array<T> all(queue.device(), size);
  const auto copy = [&](std::int64_t to, Device from, const T* source, std::int64_t count) {
    copy_bytes(queue, queue.device(), all.data() + to, from, source, static_cast<std::size_t>(count) * sizeof(T));
  };
  copy(0, Device::host(), some.data(), first);
  for (std::int64_t done = first; done < size; done *= 2)
    copy(done, queue.device(), all.data(), std::min(done, size - done));
  queue.wait();
  return all;
}

/// More than any way to sum may differ from another: |A| |x| with the largest row, entries of x up to 1.
template <class T>
double rounding_bound(const GemmCase& c) {
  const GemmShape& s = c.shape;
  double largest = 0;
  for (int r = 0; r < s.m; ++r) {
    double sum = 0;
    for (int k = 0; k < s.k; ++k)
      sum += std::abs(c.table[static_cast<std::size_t>(s.transposed ? k * s.m + r : r * s.k + k)]);
    largest = std::max(largest, sum);
  }
  return 2 * (s.k + 2) * static_cast<double>(epsilon<T>) * largest;
}

std::vector<GemmVariant> variants(const GemmTuning& tuning, std::int64_t n, bool has_library) {
  using Kernel = GemmVariant::Kernel;
  const std::vector<int> usual_library{64, 256, 1024, 4096}, usual_own{16, 64, 256, 1024};
  std::vector<GemmVariant> all;
  const auto add = [&](Kernel kernel, const std::vector<int>& usual) {
    all.push_back({kernel, 0});
    for (const int eta : tuning.etas.empty() ? usual : tuning.etas)
      if (eta < n) all.push_back({kernel, eta});
  };
  if (has_library) add(Kernel::library, usual_library);
  add(Kernel::own, usual_own);
  return all;
}

/// On the host there is one way.
template <class T>
void multiply_on_host(Queue& queue, const GemmShape& s, const T* table, const T* in, T* out) {
  parallel(queue.num_threads(), [&](int thread, int threads) {
    const auto [begin, end] = even_part(s.n, thread, threads);
    const int row_step = s.transposed ? 1 : s.k, col_step = s.transposed ? s.m : 1;
    for (std::int64_t column = begin; column < end; ++column)
      for (int r = 0; r < s.m; ++r) {
        T sum{};
        for (int k = 0; k < s.k; ++k)
          sum += table[std::ptrdiff_t{r} * row_step + std::ptrdiff_t{k} * col_step] * in[column * s.k + k];
        out[column * s.m + r] = sum;
      }
  });
}

template <class T>
class Tuner {
 public:
  Tuner(Queue& queue, const GemmTuning& tuning, std::int64_t in_size, std::int64_t out_size)
      : queue_(queue), tuning_(tuning), in_(make_numbers<T>(queue, in_size)), out_(queue.device(), out_size) {
    if (!queue.device().on_host()) expected_ = Array<T>(queue.device(), out_size);
  }

  void run(const GemmCase& c) {
    const std::vector<T> table(c.table.begin(), c.table.end());
    const Array<T> there = Array<T>(std::span<const T>(table)).to(queue_.device());
    if (queue_.device().on_host()) {
      add(c, "loop", [&] { multiply_on_host<T>(queue_, c.shape, there.data(), in_.data(), out_.data()); });
      return;
    }
    if constexpr (build::cuda) {
      cuda::multiply_table_plainly<T>(queue_, c.shape, there.data(), in_.data(), expected_.data());
      for (const GemmVariant v : variants(tuning_, c.shape.n, cuda::has_gemm_library())) {
        const auto work = [&] { cuda::multiply_table<T>(queue_, c.shape, v, there.data(), in_.data(), out_.data()); };
        work();
        check(c, v);
        add(c, to_string(v), work);
      }
    }
  }
  std::vector<GemmPoint> points;

 private:
  void check(const GemmCase& c, GemmVariant v) {
    if constexpr (build::cuda) {
      const double difference = cuda::max_difference<T>(queue_, c.shape.n * c.shape.m, out_.data(), expected_.data());
      const double bound = rounding_bound<T>(c);
      require(
          difference <= bound, "tune-gemm: ", c.name, ", ", c.shape.n, " columns: the result of ",
          [&] { return to_string(v); }, " differs from a plain loop's by ", difference, "; rounding explains ", bound);
    }
  }
  void add(const GemmCase& c, const std::string& variant, const std::function<void()>& work) {
    TimingOptions options{.warm_ups = 1, .min_runs = 3, .max_runs = 50, .max_seconds = tuning_.min_time};
    points.push_back({c.name, sizeof(T) == 4 ? "float" : "double", c.shape, variant, time(queue_, work, options)});
  }

  Queue& queue_;
  const GemmTuning& tuning_;
  Array<T> in_, out_, expected_;
};

}  // namespace

std::vector<GemmCase> tet_cases(int order, std::int64_t n) {
  const SimplexBasis basis = *make_element_basis(Cell::tet, order).simplex;
  const int nodes = basis.num_nodes(), points = basis.num_points();
  std::vector<GemmCase> cases;
  for (const bool grad : {false, true})
    for (const bool transposed : {false, true}) {
      const int rows = grad ? 3 * points : points;
      cases.push_back({join("order ", order, grad ? " grad" : " interp", transposed ? " transposed" : ""),
                       {transposed ? nodes : rows, n, transposed ? rows : nodes, transposed},
                       grad ? basis.grad : basis.interp});
    }
  return cases;
}

GemmCase plain_case(int num_nodes, int num_points, std::int64_t n) {
  GemmCase c{join(num_nodes, " x ", num_points), {num_points, n, num_nodes, false}, {}};
  c.table.resize(static_cast<std::size_t>(num_nodes) * static_cast<std::size_t>(num_points));
  for (std::size_t i = 0; i < c.table.size(); ++i) c.table[i] = std::cos(static_cast<double>(i * 7919 % 10007));
  return c;
}

template <class T>
std::vector<GemmPoint> tune_gemm(Queue& queue, const std::vector<GemmCase>& cases, const GemmTuning& tuning,
                                 const std::function<void(double)>& progress) {
  std::vector<const GemmCase*> taken;
  std::int64_t in_size = 1, out_size = 1;
  for (const GemmCase& c : cases) {
    const std::int64_t in = c.shape.n * c.shape.k, out = c.shape.n * c.shape.m;
    if (2.0 * static_cast<double>(out) * c.shape.k > tuning.max_flops) continue;
    taken.push_back(&c);
    in_size = std::max(in_size, in);
    out_size = std::max(out_size, out);
  }
  Tuner<T> tuner(queue, tuning, in_size, out_size);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    progress(static_cast<double>(i) / static_cast<double>(taken.size()));
    tuner.run(*taken[i]);
  }
  return std::move(tuner.points);
}

GemmTable best_variants(const std::vector<GemmPoint>& points) {
  GemmTable table;
  std::vector<double> best, best_own;  // seconds
  for (const GemmPoint& p : points) {
    const GemmEntry entry{.m = p.shape.m,
                          .k = p.shape.k,
                          .n = p.shape.n,
                          .transposed = p.shape.transposed,
                          .scalar_bytes = p.precision == "float" ? 4 : 8};
    const auto same = [&](const GemmEntry& e) {
      return e.m == entry.m && e.k == entry.k && e.n == entry.n && e.transposed == entry.transposed &&
             e.scalar_bytes == entry.scalar_bytes;
    };
    auto at = std::find_if(table.begin(), table.end(), same);
    if (at == table.end()) {
      at = table.insert(at, entry);
      best.push_back(std::numeric_limits<double>::infinity());
      best_own.push_back(best.back());
    }
    const auto i = static_cast<std::size_t>(at - table.begin());
    const GemmVariant variant = parse_gemm_variant(p.variant);
    const double seconds = p.samples.median();
    if (seconds < best[i]) best[i] = seconds, at->best = variant;
    if (variant.kernel == GemmVariant::Kernel::own && seconds < best_own[i])
      best_own[i] = seconds, at->best_own = variant;
  }
  return table;
}

template std::vector<GemmPoint> tune_gemm<float>(Queue&, const std::vector<GemmCase>&, const GemmTuning&,
                                                 const std::function<void(double)>&);
template std::vector<GemmPoint> tune_gemm<double>(Queue&, const std::vector<GemmCase>&, const GemmTuning&,
                                                  const std::function<void(double)>&);

}  // namespace millrace::command
