// The head of a .vtu file names every array and where it begins; the arrays follow, each behind its number of bytes.
#include "millrace/io/vtu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string_view>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/io/vtk_cells.hpp"
#include "millrace/io/xml_text.hpp"

namespace millrace {
namespace {

constexpr int max_comps = 9;

template <class T>
constexpr std::string_view vtk_type = std::is_same_v<T, double>         ? "Float64"
                                      : std::is_same_v<T, float>        ? "Float32"
                                      : std::is_same_v<T, std::int32_t> ? "Int32"
                                      : std::is_same_v<T, std::int64_t> ? "Int64"
                                                                        : "UInt8";

/// Numbers on their way to a file, a few thousand at a time.
template <class T>
class NumberStream {
 public:
  explicit NumberStream(OutputFile& file) : file_(file) { buffer_.reserve(capacity); }
  void put(T value) {
    buffer_.push_back(value);
    if (buffer_.size() == capacity) flush();
  }
  void flush() {
    file_.write(buffer_.data(), buffer_.size() * sizeof(T));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t capacity = 1 << 14;
  OutputFile& file_;
  std::vector<T> buffer_;
};

/// One array of the file.
struct Section {
  std::string attributes;  // of its DataArray
  std::uint64_t bytes = 0;
  std::function<void(OutputFile&)> write;
};

/// `rows` rows of `comps` numbers of type T, which fill(stream) puts one by one.
template <class T, class Fill>
Section make_section(const std::string& name, std::int64_t rows, int comps, Fill fill) {
  const std::string width = comps > 1 ? join(" NumberOfComponents=\"", comps, '"') : "";
  return {join("type=\"", vtk_type<T>, "\" Name=\"", name, '"', width), to_size(rows) * to_size(comps) * sizeof(T),
          [fill](OutputFile& file) {
            NumberStream<T> stream(file);
            fill(stream);
            stream.flush();
          }};
}

/// A block with the cells that are written for each of its own.
struct Pieces {
  VtuBlock block;
  int type = 0;
  int per_cell = 1;        // written cells for one of the block
  int corners = 0;         // nodes of a written cell
  std::vector<int> nodes;  // [per_cell, corners]: lattice indices in VTK's order

  std::int64_t num_cells() const { return std::ssize(block.nodes) / num_nodes(block.cell, block.order); }
};

Pieces make_pieces(const VtuBlock& block, const VtuOptions& options) {
  require(block.order >= 1, "vtu: a block of order ", block.order, "; at least 1 is right");
  require<Unsupported>(options.linear_pieces || block.order <= max_vtk_order, "vtu: a block of order ", block.order,
                       "; VTK's Lagrange cells have orders 1 to ", max_vtk_order, ", linear pieces any");
  const int nodes = num_nodes(block.cell, block.order);
  require(block.nodes.size() % to_size(nodes) == 0, "vtu: a ", name(block.cell), " of order ", block.order, " has ",
          nodes, " nodes; a block of them has ", block.nodes.size(), " numbers");
  const bool cut = options.linear_pieces && block.order > 1;
  Pieces pieces{block, vtk_cell_type(block.cell, cut ? 1 : block.order), 1, nodes, {}};
  pieces.nodes = cut ? linear_pieces(block.cell, block.order) : vtk_nodes(block.cell, block.order);
  if (cut) pieces.corners = num_vertices(block.cell);
  pieces.per_cell = static_cast<int>(pieces.nodes.size()) / pieces.corners;
  return pieces;
}

void check_points(const VtuData& data) {
  require(data.dim >= 1 && data.dim <= 3, "vtu: points of ", data.dim, " coordinates; 1 to 3 are possible");
  require(data.points.size() % to_size(data.dim) == 0, "vtu: ", data.points.size(),
          " coordinates are no whole number of points with ", data.dim, " each");
  const auto num_points = std::ssize(data.points) / data.dim;
  require<Unsupported>(num_points <= std::numeric_limits<Index>::max(), "vtu: ", num_points,
                       " points; at most 2^31 - 1 are possible");
  for (const double x : data.points) require(std::isfinite(x), "vtu: a coordinate of a point is ", x);
  for (const VtuBlock& block : data.blocks)
    for (const Index node : block.nodes)
      require(node >= 0 && node < num_points, "vtu: a ", name(block.cell), " has the node ", node, "; there are ",
              num_points, " points, counted from 0");
}

void check_fields(const std::vector<VtuField>& fields, std::int64_t rows, std::string_view what) {
  std::set<std::string> names;
  for (const VtuField& field : fields) {
    require(!field.name.empty(), "vtu: a field of ", what, " has no name");
    require(names.insert(field.name).second, "vtu: two fields of ", what, " have the name '", field.name, "'");
    require(field.comps >= 1 && field.comps <= max_comps, "vtu: field '", field.name, "' has ", field.comps,
            " components; 1 to ", max_comps, " are possible");
    const auto size = std::visit([](const auto& values) { return std::ssize(values); }, field.values);
    require(size == rows * field.comps, "vtu: field '", field.name, "' needs ", rows * field.comps, " values (", rows,
            " ", what, " x ", field.comps, "); it has ", size);
  }
}

/// Rows of values, stretched by zeros to `width` components, each as often as `times(row)` says.
template <class T, class Times>
Section make_field(const std::string& name, std::span<const T> values, int comps, int width, std::int64_t written_rows,
                   Times times) {
  return make_section<T>(name, written_rows, width, [=](NumberStream<T>& out) {
    const auto rows = std::ssize(values) / comps;
    for (std::int64_t r = 0; r < rows; ++r)
      for (int again = times(r); again > 0; --again)
        for (int c = 0; c < width; ++c) out.put(c < comps ? values[to_size(r * comps + c)] : T{});
  });
}

template <class Times>
std::vector<Section> make_fields(const std::vector<VtuField>& fields, std::int64_t written_rows, Times times) {
  std::vector<Section> sections;
  for (const VtuField& field : fields)
    std::visit(
        [&](const auto& values) {
          const int width = field.vector && field.comps == 2 ? 3 : field.comps;
          sections.push_back(make_field(xml_text(field.name, "vtu: the name of a field"), values, field.comps, width,
                                        written_rows, times));
        },
        field.values);
  return sections;
}

/// Connectivity, offsets and types: `visit(f)` calls f(pieces, cell of the block, piece) for every written cell.
std::vector<Section> make_cells(const std::vector<Pieces>& all, std::int64_t num_cells) {
  const auto visit = [&all](auto&& f) {
    for (const Pieces& pieces : all)
      for (std::int64_t c = 0; c < pieces.num_cells(); ++c)
        for (int piece = 0; piece < pieces.per_cell; ++piece) f(pieces, c, piece);
  };
  std::int64_t num_corners = 0;
  for (const Pieces& pieces : all) num_corners += pieces.num_cells() * std::ssize(pieces.nodes);
  std::vector<Section> sections;
  sections.push_back(make_section<std::int64_t>("connectivity", num_corners, 1, [visit](auto& out) {
    visit([&](const Pieces& pieces, std::int64_t c, int piece) {
      const Index* nodes = pieces.block.nodes.data() + c * num_nodes(pieces.block.cell, pieces.block.order);
      for (int v = 0; v < pieces.corners; ++v) out.put(nodes[pieces.nodes[to_size(piece * pieces.corners + v)]]);
    });
  }));
  sections.push_back(make_section<std::int64_t>("offsets", num_cells, 1, [visit](auto& out) {
    std::int64_t end = 0;
    visit([&](const Pieces& pieces, std::int64_t, int) { out.put(end += pieces.corners); });
  }));
  sections.push_back(make_section<std::uint8_t>("types", num_cells, 1, [visit](auto& out) {
    visit([&](const Pieces& pieces, std::int64_t, int) { out.put(static_cast<std::uint8_t>(pieces.type)); });
  }));
  return sections;
}

/// An element of the head with its arrays; `offset` is where the next array begins.
std::string describe(std::string_view element, const std::vector<Section>& sections, std::uint64_t& offset) {
  std::string text = join("      <", element, ">\n");
  for (const Section& section : sections) {
    text += join("        <DataArray ", section.attributes, " format=\"appended\" offset=\"", offset, "\"/>\n");
    offset += sizeof(std::uint64_t) + section.bytes;
  }
  return text + join("      </", element, ">\n");
}

}  // namespace

void write_vtu(const std::filesystem::path& path, const VtuData& data, const VtuOptions& options) {
  require<Unsupported>(std::endian::native == std::endian::little, path.string(),
                       ": .vtu files are written little-endian, and this machine is not");
  check_points(data);
  std::vector<Pieces> pieces;
  std::vector<std::pair<std::int64_t, int>> repeats;  // of each block: where its cells end, how many pieces each has
  std::int64_t num_cells = 0, num_written = 0;
  for (const VtuBlock& block : data.blocks) {
    pieces.push_back(make_pieces(block, options));
    num_cells += pieces.back().num_cells();
    num_written += pieces.back().num_cells() * pieces.back().per_cell;
    repeats.emplace_back(num_cells, pieces.back().per_cell);
  }
  const auto num_points = std::ssize(data.points) / data.dim;
  check_fields(data.point_fields, num_points, "points");
  check_fields(data.cell_fields, num_cells, "cells");

  const auto once = [](std::int64_t) { return 1; };
  const auto per_cell = [&repeats](std::int64_t cell) {
    const auto after = [](std::int64_t c, const auto& block) { return c < block.first; };
    return std::upper_bound(repeats.begin(), repeats.end(), cell, after)->second;
  };
  const std::vector<std::pair<std::string_view, std::vector<Section>>> elements{
      {"PointData", make_fields(data.point_fields, num_points, once)},
      {"CellData", make_fields(data.cell_fields, num_written, per_cell)},
      {"Points", {make_field("Points", data.points, data.dim, 3, num_points, once)}},
      {"Cells", make_cells(pieces, num_written)}};

  // Before version 2.1 hexes of higher order had two edges the other way round; other readers know 1.0 alone.
  const bool new_edges = std::any_of(pieces.begin(), pieces.end(),
                                     [](const Pieces& block) { return block.type == vtk_cell_type(Cell::hex, 2); });
  OutputFile file(path);
  file.write(join("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"", new_edges ? "2.2" : "1.0",
                  "\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece ",
                  "NumberOfPoints=\"", num_points, "\" NumberOfCells=\"", num_written, "\">\n"));
  std::uint64_t offset = 0;
  for (const auto& [element, sections] : elements) file.write(describe(element, sections, offset));
  file.write("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
  for (const auto& [element, sections] : elements)
    for (const Section& section : sections) {
      file.write(&section.bytes, sizeof section.bytes);
      section.write(file);
    }
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.commit();
}

void write_vtu(const std::filesystem::path& path, const CellSamples& samples, const VtuOptions& options) {
  VtuData data{samples.dim, samples.points, {}, {}, {}};
  for (const CellSamples::Block& block : samples.blocks) data.blocks.push_back({block.cell, block.order, block.nodes});
  const auto add = [](const std::vector<CellSamples::Field>& from, std::vector<VtuField>& to) {
    for (const CellSamples::Field& field : from)
      to.push_back({field.name, field.comps, std::span<const double>(field.values), field.vector});
  };
  add(samples.fields, data.point_fields);
  add(samples.cell_fields, data.cell_fields);
  if (!samples.groups.empty()) data.cell_fields.push_back({"group", 1, std::span<const std::int32_t>(samples.groups)});
  write_vtu(path, data, options);
}

}  // namespace millrace
