// How fast matrices are read and written, beside a plain fscanf loop on the same file. Every result is compared
// with the matrix before its time counts.
//
// usage: benchmark_read_speed OUT.json [points along a side of the 7-point grid, default 80] [folder for the files]
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "millrace/base/timer.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/binary.hpp"
#include "millrace/io/matrix_market.hpp"
#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/gallery.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

bool same(const Csr<double>& a, const Csr<double>& b) {
  const auto equal = [](const auto& p, const auto& q) {
    return p.bytes() == q.bytes() && std::memcmp(p.data(), q.data(), static_cast<std::size_t>(p.bytes())) == 0;
  };
  if (a.shape() != b.shape() || !equal(a.cols, b.cols) || !equal(a.vals, b.vals)) return false;
  for (Index r = 0; r < a.num_rows; ++r)
    if (a.row_length(r) != b.row_length(r)) return false;
  return true;
}

// The reader that everybody writes first.
Csr<double> read_with_fscanf(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"), &std::fclose);
  require<IoError>(file != nullptr, path.string(), ": cannot be opened");
  char line[1024];
  while (std::fgets(line, sizeof line, file.get()) && line[0] == '%') {
  }
  int rows = 0, cols = 0;
  long entries = 0;
  require<IoError>(std::sscanf(line, "%d %d %ld", &rows, &cols, &entries) == 3, path.string(), ": no size line");
  Coo<double> a{rows, cols, Array<Index>(entries), Array<Index>(entries), Array<double>(entries)};
  for (long k = 0; k < entries; ++k) {
    int row = 0, col = 0;
    require<IoError>(std::fscanf(file.get(), "%d %d %lf", &row, &col, a.vals.data() + k) == 3, path.string(),
                     ": short");
    a.rows.data()[k] = row - 1;
    a.cols.data()[k] = col - 1;
  }
  return to_csr(a);
}

struct Subject {
  std::string name, kind;
  fs::path file;
  int runs;
  std::function<Csr<double>()> read;  // of the file, to be compared; not timed when there is a write
  std::function<void()> write = {};   // timed instead, when it is there
};

Json measure(const Subject& s, const Csr<double>& a) {
  Queue queue;
  Samples samples;
  bool right = true;
  for (int run = 0; run < s.runs; ++run) {
    Csr<double> found;
    const auto work = [&] {
      if (s.write)
        s.write();
      else
        found = s.read();
    };
    const Samples one = time(queue, work, {.warm_ups = 0, .min_runs = 1, .max_runs = 1});
    samples.seconds.push_back(one.fastest());
    if (s.write) found = s.read();
    right = right && same(a, found);
  }
  require(right, s.name, ": the matrix that came back is another one");
  const auto bytes = static_cast<std::int64_t>(fs::file_size(s.file));
  const double mb_s = static_cast<double>(bytes) / samples.median() * 1e-6;
  fmt::print("{:<22} {:>7.1f} MB {:>9.1f} ms {:>8.1f} MB/s\n", s.name, static_cast<double>(bytes) * 1e-6,
             samples.median() * 1e3, mb_s);
  Json list = Json::array();
  for (const double t : samples.seconds) list.push_back(t * 1e3);
  return {{"contender", s.name},
          {"kind", s.kind},
          {"file_bytes", bytes},
          {"checked", right},
          {"samples_ms", list},
          {"mb_s", mb_s},
          {"median_ms", samples.median() * 1e3},
          {"spread", samples.spread()}};
}

int run(int argc, char** argv) {
  require(argc >= 2 && argc <= 4, "usage: benchmark_read_speed OUT.json [POINTS] [FOLDER]");
  const std::string spec = fmt::format("poisson3d7:n={}", argc > 2 ? argv[2] : "80");
  const Csr<double> a = gallery::make(spec);
  const fs::path folder = argc > 3 ? fs::path(argv[3]) : fs::temp_directory_path();
  const fs::path text = folder / "read_speed.mtx", packed = folder / "read_speed.mtx.gz",
                 binary = folder / "read_speed.mrx";
  const auto read_text = [&](const fs::path& path) { return [path] { return read_matrix_market<double>(path); }; };
  const auto write_text = [&](const fs::path& path) { return [path, &a] { write_matrix_market(path, a); }; };
  const auto read_mrx = [&] { return read_binary<double>(binary); };
  const Subject subjects[] = {{"write .mtx", "own", text, 5, read_text(text), write_text(text)},
                              {"read .mtx", "own", text, 9, read_text(text)},
                              {"read .mtx by fscanf", "peer", text, 3, [&] { return read_with_fscanf(text); }},
                              {"write .mtx.gz", "own", packed, 1, read_text(packed), write_text(packed)},
                              {"read .mtx.gz", "own", packed, 5, read_text(packed)},
                              {"write .mrx", "own", binary, 5, read_mrx, [&] { write_binary(binary, a); }},
                              {"read .mrx", "own", binary, 9, read_mrx}};
  Json points = Json::array();
  for (const Subject& subject : subjects) points.push_back(measure(subject, a));
  for (const fs::path& file : {text, packed, binary}) fs::remove(file);
  bench::write_json(argv[1], {{"schema", "millrace.io"},
                              {"version", 1},
                              {"created", bench::utc_now()},
                              {"matrix", {{"spec", spec}, {"rows", a.num_rows}, {"entries", a.num_entries()}}},
                              {"machine", bench::machine_json()},
                              {"build", bench::build_json()},
                              {"points", points}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_read_speed", [&] { return run(argc, argv); });
}
