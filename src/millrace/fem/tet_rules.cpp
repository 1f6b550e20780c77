// Symmetric quadrature rules on the tet, [degree]: weight and coordinates, orbit after orbit.
// Written by scripts/find_simplex_rules.py from the rules it found; kinds of orbits: orbit_rules.hpp.
#include "millrace/fem/orbit_rules.hpp"

namespace millrace {
namespace {

constexpr double degree_1[] = {0.16666666666666666};                       // 1 points
constexpr double degree_2[] = {0.041666666666666664, 0.1381966011250105};  // 4 points
constexpr double degree_3[] = {0.020933204745119855, 0.1132017142040707, 0.020733461921546813,
                               0.3289073287919093};  // 8 points
constexpr double degree_5[] = {0.018781320953002643, 0.3108859192633006,   0.012248840519393659,
                               0.09273525031089122,  0.007091003462846911, 0.45449629587435036};  // 14 points
constexpr double degree_6[] = {0.001679535175886774, 0.04067395853461135,  0.006653791709694582,
                               0.21460287125915203,  0.009226196923942455, 0.3223378901422755,
                               0.008035714285714285, 0.06366100187501753,  0.2696723314583158};  // 24 points

constexpr OrbitRule rules[] = {
    {1, {1, 0, 0, 0, 0}, degree_1}, {2, {0, 1, 0, 0, 0}, degree_2}, {3, {0, 2, 0, 0, 0}, degree_3},
    {5, {0, 2, 1, 0, 0}, degree_5}, {6, {0, 3, 0, 1, 0}, degree_6},
};

}  // namespace

std::span<const OrbitRule> tet_rules() { return rules; }

}  // namespace millrace
