// State files in and out; the head says what follows, and every part has a checksum.
#include "millrace/hdg/state_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "millrace/base/to_size.hpp"
#include "millrace/io/checksum.hpp"
#include "millrace/io/file_sections.hpp"
#include "millrace/io/output_file.hpp"

namespace millrace::hdg {
namespace {

constexpr char magic[8] = {'\x89', 'M', 'R', 'S', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t byte_order = 0x01020304, version = 1;

enum Part {
  part_u,
  part_trace,
  part_earlier,
  part_elimination,
  part_numbers,
  part_equation,
  part_case,
  part_fallbacks
};
constexpr int num_parts = 8;
constexpr const char* part_names[num_parts] = {"cells",   "traces",   "earlier levels", "elimination order",
                                               "numbers", "equation", "case",           "fallbacks"};

struct Head {
  char magic[8]{};
  std::uint32_t byte_order = 0, version = 0;
  std::uint32_t dim = 0, comps = 0, order = 0, num_parts = 0;
  std::int64_t cells = 0, faces = 0;
  std::uint64_t geometry = 0, numbering = 0;
  std::int64_t file_bytes = 0;
  FileSection parts[hdg::num_parts];
  std::int64_t reserved[6]{};  // zero
  std::uint64_t checksum = 0;  // of the 312 bytes before it
};
static_assert(sizeof(Head) == 320 && std::is_trivially_copyable_v<Head>);
static_assert(offsetof(Head, cells) == 32 && offsetof(Head, parts) == 72 && offsetof(Head, checksum) == 312);

// A number with its name, so that later versions can have more of them.
struct NamedNumber {
  char name[24]{};  // then zeros
  double value = 0;
};
static_assert(sizeof(NamedNumber) == 32);

// THE list of numbers: f(name, number).
template <class Saved, class F>
void for_each_number(Saved& saved, F&& f) {
  auto& c = saved.continuation;
  f("step", c.step);
  f("cfl", c.cfl);
  f("residual", c.residual);
  f("last-residual", c.last);
  f("best-residual", c.best);
  f("stalled", c.stalled);
  f("kept-mass", c.mass);
  f("digit-iterations", c.linear.per_digit);
  f("constant-coarse", c.linear.constant_coarse);
  f("full-precision", c.linear.full_precision);
  f("coarse-steps", c.linear.coarse_steps);
  f("cycle", c.linear.cycle);
  f("mass-start", saved.mass_start);
  auto& t = saved.time;
  f("time", t.time);
  f("time-step", t.step);
  f("time-error", t.last_error);
  f("time-steps", t.num_steps);
  for (std::size_t level = 0; level < t.earlier.size(); ++level)
    f(join("earlier-time-", level + 1), t.earlier[level].time);
}

std::vector<NamedNumber> numbers_of(const SavedState& saved) {
  std::vector<NamedNumber> numbers;
  for_each_number(saved, [&](std::string_view name, const auto& value) {
    NamedNumber number{.value = static_cast<double>(value)};
    name.copy(number.name, sizeof number.name);
    numbers.push_back(number);
  });
  return numbers;
}

// Texts, each with a zero at its end.
std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    require(text.find('\0') == std::string::npos, "write_state: a fallback has a zero byte in its text");
    all += text + '\0';
  }
  return all;
}

void place_parts(Head& head) { head.file_bytes = place_sections(sizeof head, head.parts); }

std::int64_t bytes_of_cells(const Head& head) {
  const Cell cell = head.dim == 2 ? Cell::triangle : Cell::tet;
  return head.cells * head.comps * num_nodes(cell, static_cast<int>(head.order)) * std::int64_t{sizeof(double)};
}
std::int64_t bytes_of_traces(const Head& head) {
  const Cell face = head.dim == 2 ? Cell::segment : Cell::triangle;
  return head.faces * head.comps * num_nodes(face, static_cast<int>(head.order)) * std::int64_t{sizeof(double)};
}

// Do the parts have the sizes that the head's numbers give them?
bool consistent(const Head& head) {
  constexpr std::int64_t most = std::int64_t{1} << 56;  // so that no sum of them is too large
  const std::int64_t levels = bytes_of_cells(head), elimination = head.parts[part_elimination].bytes;
  return std::ranges::all_of(head.parts,
                             [](const FileSection& part) { return part.bytes >= 0 && part.bytes <= most; }) &&
         head.parts[part_u].bytes == levels && head.parts[part_trace].bytes == bytes_of_traces(head) &&
         (levels > 0 ? head.parts[part_earlier].bytes % levels == 0 : head.parts[part_earlier].bytes == 0) &&
         (elimination == 0 || elimination == head.faces * std::int64_t{sizeof(Index)}) &&
         head.parts[part_numbers].bytes % std::int64_t{sizeof(NamedNumber)} == 0;
}

Head head_of(const SavedState& saved) {
  Head head;
  std::memcpy(head.magic, magic, sizeof magic);
  head.byte_order = byte_order;
  head.version = version;
  head.dim = static_cast<std::uint32_t>(saved.mesh.dim);
  head.comps = static_cast<std::uint32_t>(saved.comps);
  head.order = static_cast<std::uint32_t>(saved.order);
  head.num_parts = num_parts;
  head.cells = saved.mesh.num_cells;
  head.faces = saved.mesh.num_faces;
  head.geometry = saved.mesh.geometry;
  head.numbering = saved.mesh.numbering;
  return head;
}

bool possible(const Head& head) {
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  constexpr std::uint32_t max_comps = 1000;
  return (head.dim == 2 || head.dim == 3) && head.comps >= 1 && head.comps <= max_comps && head.order >= 1 &&
         head.order <= static_cast<std::uint32_t>(max_order(static_cast<int>(head.dim))) && head.cells >= 0 &&
         head.cells <= most && head.faces >= 0 && head.faces <= most;
}

// A state file that is open for reading, its head checked.
class StateInput {
 public:
  explicit StateInput(const std::filesystem::path& path) : file_(path) {
    require<Unsupported>(std::endian::native == std::endian::little, file_.name(),
                         ": state files are little-endian, and this machine is not");
    const std::int64_t size = file_.size();
    file_.read(&head, std::min<std::int64_t>(size, sizeof head), 0);
    check(size >= std::int64_t{sizeof head.magic} && std::memcmp(head.magic, magic, sizeof magic) == 0,
          ": this is no state file of a flow: its first 8 bytes are others");
    check(size >= std::int64_t{sizeof head}, ": the file is cut off: it has ", size, " bytes, its head alone ",
          sizeof head);
    check(head.byte_order == byte_order, ": the head is damaged (mark of the byte order)");
    check(head.version == version, ": the file has version ", head.version,
          " of the format of states, this library reads version ", version);
    check(checksum_of_chunk(&head, offsetof(Head, checksum)) == head.checksum,
          ": the head is damaged (its checksum differs)");
    check(head.num_parts == num_parts && possible(head) && consistent(head),
          ": the parts named in the head do not fit");
    Head expected = head;
    place_parts(expected);
    std::ranges::fill(expected.reserved, 0);
    check(std::memcmp(&expected, &head, sizeof head) == 0, ": the parts named in the head do not fit");
    check(size >= head.file_bytes, ": the file is cut off: it has ", size, " of its ", head.file_bytes, " bytes");
    check(size == head.file_bytes, ": ", size - head.file_bytes, " bytes too many follow the state");
    check_gaps(file_, sizeof head, head.parts, "parts");
  }

  template <class E>
  std::vector<E> array(Part part) const {
    std::vector<E> values(to_size(head.parts[part].bytes) / sizeof(E));
    read(part, values.data());
    return values;
  }
  std::string text(Part part) const {
    std::string characters(to_size(head.parts[part].bytes), '\0');
    read(part, characters.data());
    return characters;
  }
  // The file is as it was written, but what was written is no state.
  template <class... Why>
  void check_contents(bool holds, const Why&... why) const {
    check(holds, ": the checksums are right, the state is not: ", why...);
  }

  Head head;

 private:
  template <class... Why>
  void check(bool holds, const Why&... why) const {
    require<IoError>(holds, file_.name(), why...);
  }
  void read(Part part, void* to) const {
    const FileSection& section = head.parts[part];
    file_.read(to, section.bytes, section.offset);
    check(checksum(to, to_size(section.bytes), 1) == section.checksum, ": the file is damaged (checksum of its ",
          part_names[part], ")");
  }

  PlacedFile file_;
};

void take_numbers(const StateInput& file, SavedState& saved) {
  const auto numbers = file.array<NamedNumber>(part_numbers);
  for_each_number(saved, [&]<class N>(std::string_view name, N& to) {
    char wanted[sizeof NamedNumber::name] = {};
    name.copy(wanted, sizeof wanted);
    for (const NamedNumber& number : numbers) {
      if (std::memcmp(number.name, wanted, sizeof wanted) != 0) continue;
      if constexpr (std::is_integral_v<N>)
        file.check_contents(number.value >= 0 && number.value <= std::numeric_limits<N>::max() &&
                                number.value == std::floor(number.value),
                            "its ", name, " is ", number.value);
      to = static_cast<N>(number.value);
    }
  });
}

constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

void check_time(const StateInput& file, const SavedTime& saved) {
  file.check_contents(std::isfinite(saved.time) && saved.step >= 0 && std::isfinite(saved.step), "its time is ",
                      saved.time, " and the next step ", saved.step);
  double later = saved.time;
  for (const TimeLevel& level : saved.earlier) {
    file.check_contents(level.time < later, "an earlier level of time ", level.time, " comes after one of ", later);
    later = level.time;
  }
}

std::uint64_t sum_of(std::span<const std::byte> bytes) { return checksum(bytes.data(), bytes.size(), 1); }

}  // namespace

MeshIdentity identity_of(const TraceSpace& space) {
  const Mesh& mesh = space.mesh();
  const CellBlock& block = mesh.blocks[0];
  std::vector<Index> numbers;  // [cells, faces per cell, 2]
  for (Index cell = 0; cell < space.num_cells(); ++cell)
    for (int face = 0; face < space.faces_per_cell(); ++face) {
      numbers.push_back(space.trace(cell, face));
      numbers.push_back(space.code(cell, face));
    }
  const std::uint64_t geometry[] = {static_cast<std::uint64_t>(block.order), sum_of(std::as_bytes(mesh.points.span())),
                                    sum_of(std::as_bytes(block.nodes.span()))};
  return {mesh.dim, space.num_cells(), space.num_faces(), combine_checksums(geometry, std::ssize(geometry)),
          sum_of(std::as_bytes(std::span(numbers)))};
}

void write_state(const std::filesystem::path& path, const SavedState& saved) {
  std::vector<double> earlier;  // [levels, cells, comps, cell modes]
  for (const TimeLevel& level : saved.time.earlier) {
    require(level.u.size() == saved.state.u.size(), "write_state: an earlier level has ", level.u.size(),
            " numbers, the state ", saved.state.u.size());
    earlier.insert(earlier.end(), level.u.begin(), level.u.end());
  }
  const std::vector<NamedNumber> numbers = numbers_of(saved);
  const std::string fallbacks = joined(saved.continuation.fallbacks);
  const std::span<const std::byte> parts[num_parts] = {
      std::as_bytes(std::span(saved.state.u)),   std::as_bytes(std::span(saved.state.trace)),
      std::as_bytes(std::span(earlier)),         std::as_bytes(std::span(saved.continuation.linear.order)),
      std::as_bytes(std::span(numbers)),         std::as_bytes(std::span(saved.equation)),
      std::as_bytes(std::span(saved.case_text)), std::as_bytes(std::span(fallbacks))};
  Head head = head_of(saved);
  for (int p = 0; p < num_parts; ++p) {
    head.parts[p].bytes = std::ssize(parts[p]);
    head.parts[p].checksum = sum_of(parts[p]);
  }
  require(possible(head) && consistent(head), "write_state: ", saved.state.u.size(), " and ", saved.state.trace.size(),
          " numbers (elimination order: ", saved.continuation.linear.order.size(), ") are no state of order ",
          saved.order, " with ", saved.comps, " components on ", saved.mesh.num_cells, " cells and ",
          saved.mesh.num_faces, " faces in ", saved.mesh.dim, " dimensions");
  place_parts(head);
  head.checksum = checksum_of_chunk(&head, offsetof(Head, checksum));
  OutputFile file(path);
  file.write(&head, sizeof head);
  std::int64_t end = sizeof head;
  for (int p = 0; p < num_parts; ++p) {
    file.write(std::string(to_size(head.parts[p].offset - end), '\0'));
    file.write(parts[p].data(), parts[p].size());
    end = head.parts[p].offset + head.parts[p].bytes;
  }
  file.commit();
}

SavedState read_state(const std::filesystem::path& path) {
  const StateInput file(path);
  const Head& head = file.head;
  SavedState saved;
  saved.mesh = {static_cast<int>(head.dim), static_cast<Index>(head.cells), static_cast<Index>(head.faces),
                head.geometry, head.numbering};
  saved.comps = static_cast<int>(head.comps);
  saved.order = static_cast<int>(head.order);
  saved.state = {file.array<double>(part_u), file.array<double>(part_trace)};
  const auto earlier = file.array<double>(part_earlier);
  for (auto level = earlier.begin(); level != earlier.end(); level += std::ssize(saved.state.u))
    saved.time.earlier.push_back({no_time, {level, level + std::ssize(saved.state.u)}});
  saved.continuation.linear.order = file.array<Index>(part_elimination);
  std::vector<bool> seen(saved.continuation.linear.order.size());
  for (const Index row : saved.continuation.linear.order) {
    file.check_contents(row >= 0 && row < head.faces && !seen[to_size(row)], "its elimination order has ", row,
                        " twice or beyond its end");
    seen[to_size(row)] = true;
  }
  take_numbers(file, saved);
  check_time(file, saved.time);
  saved.equation = file.text(part_equation);
  saved.case_text = file.text(part_case);
  const std::string fallbacks = file.text(part_fallbacks);
  file.check_contents(fallbacks.empty() || fallbacks.back() == '\0', "the list of its fallbacks has no end");
  for (std::size_t at = 0; at < fallbacks.size(); at += saved.continuation.fallbacks.back().size() + 1)
    saved.continuation.fallbacks.emplace_back(fallbacks.c_str() + at);
  return saved;
}

void require_fit(const SavedState& saved, const std::string& name, const MeshIdentity& mesh, const Equation& equation) {
  require(saved.equation == equation.name() && saved.comps == equation.comps() && saved.mesh.dim == equation.dim(),
          name, ": the state is one of ", saved.equation, " in ", saved.mesh.dim, " dimensions with ", saved.comps,
          " components; the case has ", equation.name(), " in ", equation.dim(), " with ", equation.comps());
  require(saved.mesh.num_cells == mesh.num_cells && saved.mesh.num_faces == mesh.num_faces, name,
          ": the state is one on another mesh: it has ", saved.mesh.num_cells, " cells and ", saved.mesh.num_faces,
          " faces; that of the case has ", mesh.num_cells, " and ", mesh.num_faces);
  require(saved.mesh.geometry == mesh.geometry, name, ": the state is one on another mesh: both have ", mesh.num_cells,
          " cells and ", mesh.num_faces, " faces, but their points, or the nodes of their cells, differ");
  require(saved.mesh.numbering == mesh.numbering, name,
          ": the state is one on this mesh with faces in another order: its boundary groups were others");
}

void require_fit(const SavedState& saved, const std::string& name, double time_end) {
  require(saved.time.num_steps == 0 || saved.time.time <= time_end, name, ": the state is one of time ",
          saved.time.time, ", and 'time.end' is ", time_end, "; an end that is not before is accepted");
}

}  // namespace millrace::hdg
