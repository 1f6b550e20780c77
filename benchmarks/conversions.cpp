// How long CSR takes to become each format on the host, and entries in any order to become CSR. Before it is timed,
// every result is turned back into CSR and compared with the matrix; its hash covers every row, column, value and slot,
// so that results of several runs (other numbers of threads, another version) can be seen to be the same.
//
// usage: benchmark_conversions OUT.json [small] [RECORD.json...]
// OMP_NUM_THREADS says how many threads. Points of the records named are taken over, so one record can hold several
// runs.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "millrace/base/timer.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/matrix.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;

constexpr const char* contender = "steps";

/// FNV-1a over 8 bytes at a time.
struct Hash {
  std::uint64_t state = 0xcbf29ce484222325u;
  void add(std::uint64_t word) { state = (state ^ word) * 0x100000001b3u; }
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    add(bits);
  }
};

template <class Format>
void add_format(Hash& hash, const Format& format) {
  if constexpr (is_composite<Format>) {
    format.for_each_part([&](const auto& part) { add_format(hash, part); });
  } else {
    visit_view(format, [&](const auto& view) {
      const auto add = [&](Index row, Offset s) {
        hash.add(static_cast<std::uint64_t>(row));
        hash.add(static_cast<std::uint64_t>(s));
        hash.add(static_cast<std::uint64_t>(view.column(s)));
        hash.add(view.value(s));
      };
      if constexpr (Format::is_row_format) {
        for (Index r = 0; r < view.num_rows; ++r)
          for (Index k = 0; k < view.length(r); ++k) add(view.output_row(r), view.slot(r, k));
      } else {
        for (Offset s = 0; s < view.num_entries; ++s) add(view.row(s), s);
      }
    });
    const Footprint footprint = format.footprint();
    hash.add(static_cast<std::uint64_t>(footprint.bytes));
    hash.add(static_cast<std::uint64_t>(footprint.moved_bytes));
  }
}

std::uint64_t hash_of(const AnyFormat<double>& any) {
  Hash hash;
  std::visit([&](const auto& format) { add_format(hash, format); }, any);
  return hash.state;
}

bool same(const Csr<double>& a, const Csr<double>& b) {
  const auto equal = [](const auto& p, const auto& q) {
    return p.bytes() == q.bytes() && std::memcmp(p.data(), q.data(), static_cast<std::size_t>(p.bytes())) == 0;
  };
  if (a.shape() != b.shape() || !equal(a.cols, b.cols) || !equal(a.vals, b.vals)) return false;
  for (Index r = 0; r < a.num_rows; ++r)
    if (a.row_length(r) != b.row_length(r)) return false;
  return true;
}

struct Bench {
  Queue& queue;
  TimingOptions timing;
  Json points = Json::array();
};

template <class Work>
void add_point(Bench& bench, const std::string& spec, const Csr<double>& a, const std::string& format,
               std::uint64_t hash, Work&& work) {
  const Samples samples = time(bench.queue, work, bench.timing);
  fmt::print("{:<32} {:<14} {} threads {:>9.1f} ms  {:016x}\n", spec, format, bench.queue.num_threads(),
             samples.median() * 1e3, hash);
  std::fflush(stdout);
  Json list = Json::array();
  for (const double seconds : samples.seconds) list.push_back(seconds * 1e3);
  bench.points.push_back({{"matrix", spec},
                          {"rows", a.num_rows},
                          {"entries", a.num_entries()},
                          {"format", format},
                          {"contender", contender},
                          {"threads", bench.queue.num_threads()},
                          {"hash", fmt::format("{:016x}", hash)},
                          {"checked", true},
                          {"samples_ms", list},
                          {"median_ms", samples.median() * 1e3},
                          {"spread", samples.spread()}});
}

AnyFormat<double> convert(Queue& queue, const Csr<double>& a, const std::string& format) {
  return make_format(queue, a, format, trust);
}

void measure(Bench& bench, const std::string& spec, const Csr<double>& a, const std::string& format) {
  std::uint64_t hash = 0;
  try {
    const AnyFormat<double> made = convert(bench.queue, a, format);
    require(same(sort_rows(to_csr(made)), a), format, ", ", spec, ": the matrix that came back is another one");
    hash = hash_of(made);
  } catch (const Unsupported&) {
    return;  // too much fill or padding
  }
  add_point(bench, spec, a, format, hash, [&] { convert(bench.queue, a, format); });
}

/// The entries in an order that is spread over the whole matrix.
Coo<double> shuffled(const Csr<double>& a) {
  const Offset n = a.num_entries(), step = 7'368'787;  // a prime
  Coo<double> b{a.num_rows, a.num_cols, Array<Index>(n), Array<Index>(n), Array<double>(n)};
  Offset s = 0;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k, s = (s + step) % n) {
      b.rows.data()[s] = r;
      b.cols.data()[s] = a.cols.data()[k];
      b.vals.data()[s] = a.vals.data()[k];
    }
  return b;
}

int run(int argc, char** argv) {
  require(argc >= 2, "usage: benchmark_conversions OUT.json [small] [RECORD.json...]");
  const bool small = argc > 2 && std::string_view(argv[2]) == "small";
  Queue queue;
  Bench bench{queue, {.warm_ups = 1, .min_runs = small ? 1 : 5, .max_runs = small ? 1 : 9, .max_seconds = 1}};
  for (int i = small ? 3 : 2; i < argc; ++i) {
    std::ifstream file(argv[i]);
    require<IoError>(file.good(), argv[i], ": cannot be opened");
    const Json record = Json::parse(file);
    for (const Json& point : record.at("points")) bench.points.push_back(point);
  }
  const std::vector<std::string> large{"poisson3d7:n=128", "powerlaw:n=1000000", "cfd:n=48,block=5",
                                       "hdg:m=8,faces=40000", "holstein-hubbard:quanta=8"},
      tiny{"poisson3d7:n=8", "hdg:m=4,faces=20"};
  for (const std::string& spec : small ? tiny : large) {
    const Csr<double> a = sort_rows(gallery::make(spec));
    for (const char* format :
         {"coo", "bsr", "dbf", "dia", "ell", "ellr", "hyb", "sell", "sell-32-1024", "rgcsr", "jds", "pjds", "tcoo"})
      measure(bench, spec, a, format);
    const Coo<double> entries = shuffled(a);
    require(same(to_csr(entries), a), spec, ": the entries that came back are others");
    add_point(bench, spec, a, "csr from entries", hash_of(a.clone()), [&] { to_csr(entries); });
  }
  bench::write_json(argv[1], bench::points_record("millrace.conversions", Device::host(), measure_bandwidth(queue),
                                                  std::move(bench.points)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_conversions", [&] { return run(argc, argv); });
}
