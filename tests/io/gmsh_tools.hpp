// A writer of gmsh files for the tests: MSH 2.2 and 4.1, text and binary, in either order of bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "io/io_tools.hpp"
#include "millrace/io/gmsh.hpp"
#include "millrace/io/gmsh_file.hpp"

namespace millrace::test {

struct GmshForm {
  bool version_4 = false, binary = false, swapped = false;
  std::string text() const {
    return join(version_4 ? "4.1" : "2.2", binary ? " binary" : " text", swapped ? " swapped" : "");
  }
};
inline constexpr GmshForm gmsh_forms[] = {{false, false, false}, {true, false, false}, {false, true, false},
                                          {true, true, false},   {false, true, true},  {true, true, true}};

class GmshWriter {
 public:
  explicit GmshWriter(GmshForm form) : form_(form) {}

  std::string write(const Mesh& mesh) {
    line(form_.version_4 ? "$MeshFormat\n4.1 " : "$MeshFormat\n2.2 ", form_.binary ? "1 8" : "0 8");
    if (form_.binary) bytes<std::int32_t>(1), line();
    line("$EndMeshFormat\n$PhysicalNames\n", std::to_string(mesh.names.size()));
    for (const GroupName& group : mesh.names)
      line(std::to_string(group.dim), " ", std::to_string(group.tag), " \"", group.name, "\"");
    line("$EndPhysicalNames");
    form_.version_4 ? write_4(mesh) : write_2(mesh);
    if (!mesh.periodic.empty()) write_periodic(mesh);
    return out_;
  }

 private:
  static std::int64_t number_of(Index point) { return 10 + 3 * std::int64_t{point}; }  // sparse on purpose

  void write_2(const Mesh& mesh) {
    line("$Nodes\n", std::to_string(mesh.num_points()));
    for (Index p = 0; p < mesh.num_points(); ++p) {
      put<std::int32_t>(number_of(p));
      for (const double x : mesh.point(p)) put_real(x);
      end();
    }
    line(form_.binary ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n",
         std::to_string(mesh.num_cells() + mesh.num_boundary_faces()));
    int number = 0;
    for_each_block(mesh, [&](const CellBlock& block, int type) {
      if (form_.binary) put<std::int32_t>(type), put<std::int32_t>(block.num_cells()), put<std::int32_t>(2);
      for (Index c = 0; c < block.num_cells(); ++c) {
        put<std::int32_t>(++number);
        if (!form_.binary) put<std::int32_t>(type), put<std::int32_t>(2);
        put<std::int32_t>(block.tag.data()[c]), put<std::int32_t>(1);
        for (const Lattice& at : gmsh_lattice(block.cell, block.order))
          put<std::int32_t>(number_of(node(block, c, at)));
        end();
      }
    });
    line(form_.binary ? "\n$EndElements" : "$EndElements");
  }

  // One entity for every tag of every block; entity 100 + tag of that dimension.
  void write_4(const Mesh& mesh) {
    line("$Entities");
    const auto tags = [&](int dim) {
      std::vector<std::int32_t> all;
      for (const auto* blocks : {&mesh.blocks, &mesh.boundary})
        for (const CellBlock& block : *blocks)
          if (millrace::dim(block.cell) == dim) all.insert(all.end(), block.tag.span().begin(), block.tag.span().end());
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      return all;
    };
    for (int dim = 0; dim < 4; ++dim) put<std::int64_t>(std::ssize(tags(dim)));
    end();
    for (int dim = 1; dim < 4; ++dim)
      for (const std::int32_t tag : tags(dim)) {
        put<std::int32_t>(100 + tag);
        for (int k = 0; k < 6; ++k) put_real(0.5);
        put<std::int64_t>(tag == 0 ? 0 : 1);
        if (tag != 0) put<std::int32_t>(-tag);  // turned round
        put<std::int64_t>(1), put<std::int32_t>(-7), end();
      }
    line(form_.binary ? "\n$EndEntities\n$Nodes" : "$EndEntities\n$Nodes");
    put<std::int64_t>(2), put<std::int64_t>(mesh.num_points()), put<std::int64_t>(10);
    put<std::int64_t>(number_of(mesh.num_points() - 1)), end();
    const Index half = mesh.num_points() / 2;
    for (const auto& [first, last] : {std::pair(half, mesh.num_points()), std::pair(Index{0}, half)}) {
      put<std::int32_t>(mesh.dim), put<std::int32_t>(100), put<std::int32_t>(first == 0),
          put<std::int64_t>(last - first);
      end();
      for (Index p = first; p < last; ++p) put<std::int64_t>(number_of(p)), end();
      for (Index p = first; p < last; ++p) {
        for (const double x : mesh.point(p)) put_real(x);
        for (int k = 0; k < mesh.dim && first == 0; ++k) put_real(0.25);  // parameters, to be skipped
        end();
      }
    }
    line(form_.binary ? "\n$EndNodes\n$Elements" : "$EndNodes\n$Elements");
    Index num_runs = 0;
    for_each_run(mesh, [&](const CellBlock&, int, Index, Index) { ++num_runs; });
    put<std::int64_t>(num_runs), put<std::int64_t>(mesh.num_cells() + mesh.num_boundary_faces());
    put<std::int64_t>(1), put<std::int64_t>(1000), end();
    std::int64_t number = 0;
    for_each_run(mesh, [&](const CellBlock& block, int type, Index first, Index last) {
      put<std::int32_t>(dim(block.cell)), put<std::int32_t>(100 + block.tag.data()[first]), put<std::int32_t>(type);
      put<std::int64_t>(last - first), end();
      for (Index c = first; c < last; ++c) {
        put<std::int64_t>(++number);
        for (const Lattice& at : gmsh_lattice(block.cell, block.order))
          put<std::int64_t>(number_of(node(block, c, at)));
        end();
      }
    });
    line(form_.binary ? "\n$EndElements" : "$EndElements");
  }

  // An affine map for every other side: the move from the first pair's master to its point. MSH 2 has text here,
  // always.
  void write_periodic(const Mesh& mesh) {
    const GmshForm form = form_;
    form_.binary = form.binary && form.version_4;
    line("$Periodic");
    put<std::int64_t>(std::ssize(mesh.periodic) + 1), end();
    const auto link = [&](int dim, int entity, const auto& pairs, bool affine) {
      put<std::int32_t>(dim), put<std::int32_t>(entity), put<std::int32_t>(entity + 50), end();
      if (form.version_4) put<std::int64_t>(affine ? 16 : 0);
      if (affine && !form.version_4) out_ += "Affine ";
      for (std::size_t k = 0; k < 16 && affine; ++k) {
        const Point x = mesh.point(pairs[0][0]), y = mesh.point(pairs[0][1]);
        put_real(k % 4 == 3 && k < 15 ? x[k / 4] - y[k / 4] : k % 5 == 0 ? 1 : 0);
      }
      if (affine || form.version_4) end();
      put<std::int64_t>(std::ssize(pairs)), end();
      for (const auto& pair : pairs)
        put<std::int64_t>(number_of(pair[0])), put<std::int64_t>(number_of(pair[1])), end();
    };
    link(0, 1, std::vector{mesh.periodic[0].pairs[0]}, false);  // of a corner: says nothing new
    for (std::size_t s = 0; s < mesh.periodic.size(); ++s)
      link(mesh.dim - 1, static_cast<int>(s) + 7, mesh.periodic[s].pairs, s % 2 == 0);
    line(form_.binary ? "\n$EndPeriodic" : "$EndPeriodic");
    form_ = form;
  }

  static Index node(const CellBlock& block, Index c, const Lattice& at) {
    return block.nodes_of(c)[static_cast<std::size_t>(lattice_index(block.cell, block.order, at))];
  }
  template <class F>
  void for_each_block(const Mesh& mesh, F&& f) {
    for (const auto* blocks : {&mesh.boundary, &mesh.blocks})
      for (const CellBlock& block : *blocks)
        for (int type = 1; type < 120; ++type)
          if (const GmshType* known = find_gmsh_type(type); known && known->dim > 0 && known->cell == block.cell &&
                                                            known->order == block.order && !known->serendipity)
            f(block, type);
  }
  template <class F>
  void for_each_run(const Mesh& mesh, F&& f) {
    for_each_block(mesh, [&](const CellBlock& block, int type) {
      for (Index first = 0, last; first < block.num_cells(); first = last) {
        for (last = first; last < block.num_cells() && block.tag.data()[last] == block.tag.data()[first];) ++last;
        f(block, type, first, last);
      }
    });
  }

  template <class... Parts>
  void line(const Parts&... parts) {
    ((out_ += parts), ...);
    out_ += '\n';
  }
  template <class T>
  void bytes(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (form_.swapped) std::reverse(raw, raw + sizeof(T));
    out_.append(raw, sizeof(T));
  }
  template <class T>
  void put(std::int64_t value) {
    if (form_.binary)
      bytes(static_cast<T>(value));
    else
      out_ += std::to_string(value) + " ";
  }
  void put_real(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g ", value);
    form_.binary ? bytes(value) : void(out_ += text);
  }
  void end() {
    if (!form_.binary) out_ += '\n';
  }

  GmshForm form_;
  std::string out_;
};

/// Parses a text under the name "text".
inline Mesh parse_mesh(const std::string& text) {
  const std::string with_end = text + '\n';
  return make_mesh(parse_gmsh(std::string_view(with_end.data(), text.size()), "text"));
}

}  // namespace millrace::test
