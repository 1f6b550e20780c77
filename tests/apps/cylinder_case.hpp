// The case file that tests of `millrace flow` share: a cylinder in a slow stream of gas, of order 1 on few triangles.
#pragma once

#include <string>

namespace millrace::test {

/// What differs from test to test. Lines go into the tables of the mesh and of the equation, tables behind the others.
struct CylinderCase {
  std::string title = "a cylinder";
  int around = 8, across = 4;
  std::string mesh = "mirrored = true\n", equation{}, tables{};
};

inline std::string cylinder_case(const CylinderCase& c = {}) {
  return "title = '" + c.title + "'\n[mesh]\ngenerator = 'o-mesh'\naround = " + std::to_string(c.around) +
         "\nacross = " + std::to_string(c.across) + "\nfar = 10\n" + c.mesh +
         "[equation]\nname = 'navier-stokes'\nmach = 0.3\nreynolds = 20\n" + c.equation + "[space]\norder = 1\n" +
         "[boundary.wall]\nkind = 'adiabatic-wall'\n[boundary.far]\nkind = 'far-field'\n" + c.tables;
}

}  // namespace millrace::test
