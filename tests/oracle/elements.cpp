// Writes mass and stiffness matrices of the unit cube for elements.py, and the tets themselves: elements FOLDER.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "millrace/fem.hpp"
#include "millrace/io/matrix_market.hpp"
#include "millrace/mesh/generate.hpp"

using namespace millrace;

namespace {

template <class Physics>
void write(const std::string& path, const Mesh& mesh, const Space& space) {
  Queue queue;
  write_matrix_market(path, make_element_operator<double>(mesh, space, Physics{}).assemble(queue));
}

/// Points and cells as lines of numbers.
void write_mesh(const std::string& stem, const Mesh& mesh) {
  std::ofstream points(stem + "_points.txt"), cells(stem + "_cells.txt");
  for (Index p = 0; p < mesh.num_points(); ++p)
    points << mesh.point(p)[0] << ' ' << mesh.point(p)[1] << ' ' << mesh.point(p)[2] << '\n';
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    for (const Index node : mesh.only_block().nodes_of(c)) cells << node << ' ';
    cells << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) try {
  require(argc == 2, "usage: elements FOLDER");
  for (const auto& [cell, name] : {std::pair{Cell::hex, "hex"}, std::pair{Cell::tet, "tet"}}) {
    const Mesh mesh = make_box(cell, {2, 2, 2});
    write_mesh(std::string(argv[1]) + "/" + name, mesh);
    for (const int order : {1, 2}) {
      const Space space = make_space(mesh, order);
      const std::string stem = std::string(argv[1]) + "/" + name + std::to_string(order);
      write<fem::Mass<3>>(stem + "_mass.mtx", mesh, space);
      write<fem::Diffusion<3>>(stem + "_diffusion.mtx", mesh, space);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "elements: %s\n", error.what());
  return 1;
}
