// The targets: what was read is written and read again, and must be the same; sizes are kept small by the limits on
// memory, so that a run is spent on texts and not on vast arrays.
#include "fuzz/targets.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/state_file.hpp"
#include "millrace/io/binary.hpp"
#include "millrace/io/case_file.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/io/gmsh.hpp"
#include "millrace/io/matrix_file.hpp"
#include "millrace/mesh/topology.hpp"
#include "millrace/precond/by_name.hpp"
#include "millrace/sparse/format_spec.hpp"
#include "millrace/sparse/formats.hpp"
#include "millrace/sparse/gallery.hpp"
#include "temporary_folder.hpp"

namespace millrace::fuzz {
namespace {

constexpr std::int64_t max_memory = 32 << 20;

/// For the files of this process.
const std::filesystem::path& folder() {
  static const test::TemporaryFolder kept("millrace-fuzz");
  return kept.path();
}

void must(bool holds) {
  if (!holds) std::abort();  // a promise was broken: a finding, not a refusal
}

template <class T>
bool same(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), to_size(a.bytes())) == 0);
}

template <class T>
bool same_columns(const Csr<T>& a, const Csr<T>& b) {
  if (a.shape() != b.shape() || a.num_entries() != b.num_entries() || !same(a.cols, b.cols)) return false;
  for (Index r = 0; r <= a.num_rows; ++r)
    if (a.row_begin(r) != b.row_begin(r)) return false;
  return true;
}

void read_any_matrix(const std::string& path, std::string_view) {
  const AnyCsr read = read_matrix(path, {.num_threads = 1, .max_memory = max_memory});
  const std::string copy = (folder() / "copy.mtx").string(), binary = (folder() / "copy.mrx").string();
  write_matrix(copy, read);
  write_matrix(binary, read);
  for (const std::string& name : {copy, binary}) {
    const AnyCsr again = read_matrix(name, {.num_threads = 1, .max_memory = max_memory});
    std::visit(
        [&]<class T>(const Csr<T>& a) {
          const auto* b = std::get_if<Csr<T>>(&again);
          must(b != nullptr && same_columns(a, *b));
          for (Offset s = 0; s < a.num_entries(); ++s)  // NaN is the same as NaN, whatever its bits
            must(a.vals.data()[s] == b->vals.data()[s] || a.vals.data()[s] != a.vals.data()[s]);
        },
        read);
  }
}

void read_any_mesh(const std::string& path, std::string_view) {
  const Mesh mesh = read_gmsh(path, max_memory);
  static_cast<void>(make_topology(mesh));
  static_cast<void>(make_topology(mesh, PeriodicSides::glued));
}

void parse_format(const std::string&, std::string_view text) {
  const FormatSpec spec = parse_format_spec(text);
  static const Csr<double> a = gallery::make("poisson2d5:n=3", {}, 1);
  static_cast<void>(make_format(a, spec.written.empty() ? text : std::string_view(spec.written)));
}

void make_gallery(const std::string&, std::string_view text) { gallery::make(text, {}, 1, 1 << 20); }

void parse_preconditioner(const std::string&, std::string_view text) {
  const PrecondSpec spec = parse_precond(text, "auto");
  must(!spec.name.empty() && spec.number >= 0);
  static_cast<void>(needs_flexible(spec));
}

void parse_formula(const std::string&, std::string_view text) {
  const Expression formula = Expression::parse(text);
  const double value = formula.at({0.3, 0.7, 0.1}), with_derivatives = formula.jet_at({0.3, 0.7, 0.1}).value;
  must(value == with_derivatives || (std::isnan(value) && std::isnan(with_derivatives)));
  must(!to_source(formula).empty());
}

void read_case(const std::string& path, std::string_view) {
  const CaseTable file = read_case_file(path);
  for (const std::string& key : file.keys()) static_cast<void>(file.place(key));
  static_cast<void>(file.text("title", "").text);
  file.table("mesh").refuse_others();
}

void read_state_of_flow(const std::string& path, std::string_view) {
  const hdg::SavedState read = hdg::read_state(path);
  const auto copy = folder() / "copy.mrs", second = folder() / "second.mrs";
  hdg::write_state(copy, read);
  hdg::write_state(second, hdg::read_state(copy));
  const auto content_of = [](const std::filesystem::path& name) {
    std::ifstream file(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  must(content_of(copy) == content_of(second));
}

constexpr Target all[] = {{"matrix_market", ".mtx", read_any_matrix},
                          {"matrix_gzip", ".mtx.gz", read_any_matrix},
                          {"matrix_xz", ".mtx.xz", read_any_matrix},
                          {"binary", ".mrx", read_any_matrix},
                          {"gmsh", ".msh", read_any_mesh},
                          {"format", "", parse_format},
                          {"gallery", "", make_gallery},
                          {"precond", "", parse_preconditioner},
                          {"formula", "", parse_formula},
                          {"case", ".toml", read_case},
                          {"state", ".mrs", read_state_of_flow}};

}  // namespace

std::span<const Target> targets() { return all; }

bool run(const Target& target, std::string_view bytes) {
  std::string path;
  if (*target.extension != '\0') {
    path = (folder() / ("input" + std::string(target.extension))).string();
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  }
  try {
    target.run(path, bytes);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace millrace::fuzz
