// The list of the gallery and what all its matrices share.
#include "millrace/sparse/gallery.hpp"

#include <limits>

#include "millrace/sparse/gallery/cfd.hpp"
#include "millrace/sparse/gallery/hdg.hpp"
#include "millrace/sparse/gallery/holstein_hubbard.hpp"
#include "millrace/sparse/gallery/irregular.hpp"
#include "millrace/sparse/gallery/permutation.hpp"
#include "millrace/sparse/gallery/spec.hpp"
#include "millrace/sparse/gallery/stencil.hpp"
#include "millrace/sparse/gallery/surrogates.hpp"

namespace millrace::gallery {
namespace {

constexpr double max_rows = std::numeric_limits<Index>::max();
constexpr double any_real = 1e6;

using Parameters = std::vector<Parameter>;

Parameters grid(int dimension, double n) {
  Parameters list{{"n", n, "grid points along each side", 1, max_rows},
                  {"nx", 0, "points along x, 0: n", 0, max_rows},
                  {"ny", 0, "points along y, 0: n", 0, max_rows}};
  if (dimension == 3) list.push_back({"nz", 0, "points along z, 0: n", 0, max_rows});
  return list;
}

Entry stencil(std::string name, std::string help, Stencil kind, double n) {
  return {std::move(name), std::move(help), grid(kind.dimension, n),
          [kind](const Values& values, const Progress& progress) { return make_stencil(values, progress, kind); }};
}

Entry laplace(std::string name, std::string help, Stencil kind, double n) {
  Parameters list = grid(kind.dimension, n);
  list.push_back({"contrast", 1, "coefficient in every other block of a checkerboard of 8 a side", 1e-9, 1e9, false});
  list.push_back({"anisotropy", 1, "factor of couplings along the last direction", 1e-9, 1e9, false});
  return {std::move(name), std::move(help), std::move(list),
          [kind](const Values& values, const Progress& progress) { return make_laplace(values, progress, kind); }};
}

Parameters electrons(bool quanta_first) {
  Parameters list{{"sites", 6, "sites of the ring", 1, 20},
                  {"up", 3, "electrons with spin up", 0, 20},
                  {"down", 3, "electrons with spin down", 0, 20},
                  {"quanta", quanta_first ? 15.0 : 5.0, "most phonon quanta in all modes together", 0, 255},
                  {"U", 2, "repulsion of two electrons on a site", -any_real, any_real, false},
                  {"t", 1, "hopping between neighbours", -any_real, any_real, false},
                  {"g", 1, "coupling of electrons and phonons", -any_real, any_real, false},
                  {"omega", 1, "energy of a phonon", -any_real, any_real, false},
                  {"keep_zero_couplings", 0, "1: store couplings that vanish", 0, 1}};
  if (quanta_first) std::rotate(list.begin(), list.begin() + 3, list.begin() + 4);
  return list;
}

Parameters scale() { return {{"scale", 1, "size, where 1 is that of the original", 1e-6, 1e4, false}}; }

std::vector<Entry> make_entries() {
  std::vector<Entry> list{
      stencil("poisson2d5", "5-point stencil on a square, variable coefficients, no boundary, symmetric", {2, false},
              512),
      stencil("poisson2d9", "9-point stencil on a square, variable coefficients, no boundary, symmetric", {2, true},
              512),
      stencil("poisson3d7", "7-point stencil on a cube, variable coefficients, no boundary, symmetric", {3, false}, 64),
      stencil("poisson3d27", "27-point stencil on a cube, variable coefficients, no boundary, symmetric", {3, true},
              48),
      laplace("laplace2d5", "5-point Laplacian, zero on the boundary, positive definite", {2, false}, 512),
      laplace("laplace2d9", "9-point Laplacian, zero on the boundary, positive definite", {2, true}, 512),
      laplace("laplace3d7", "7-point Laplacian, zero on the boundary, positive definite", {3, false}, 64),
      laplace("laplace3d27", "27-point Laplacian, zero on the boundary, positive definite", {3, true}, 48),
      {"holstein-hubbard", "electrons and lattice vibrations on a ring, symmetric", electrons(false),
       make_holstein_hubbard},
      {"hmep", "holstein-hubbard with 6 sites, 3 + 3 electrons and 15 quanta: 6.2 million rows", electrons(true),
       make_holstein_hubbard},
      {"powerlaw",
       "row lengths by a power law, a few hot columns",
       {{"n", 100'000, "rows", 64, max_rows}, {"mean", 16, "entries a row", 1, 1e6, false}},
       make_powerlaw},
      {"hugerow",
       "one full row among short ones",
       {{"n", 100'000, "rows", 1, max_rows}, {"k", 5, "entries of the other rows", 1, 64}},
       make_hugerow},
      {"random",
       "uniformly random columns",
       {{"n", 100'000, "rows", 1, max_rows}, {"k", 16, "entries a row", 1, 1e6}},
       make_random},
      {"cfd",
       "dense blocks on the 7-point stencil of a cube, nonsymmetric",
       {{"n", 32, "cells along each side", 1, max_rows}, {"block", 5, "rows of a block", 1, 64}},
       make_cfd},
      {"hdg",
       "trace system of HDG on a square mesh, every block row padded to na blocks, nonsymmetric",
       {{"m", 8, "unknowns a face, rows of a block", 1, 1024},
        {"na", 5, "blocks a row: 5 for triangles, 7 for quadrilaterals", 5, 7},
        {"faces", 11'656, "at most so many faces", 5, max_rows}},
       make_hdg},
      {"hdg-omesh",
       "trace system of HDG on a triangulated ring, boundary rows as they are, nonsymmetric",
       {{"p", 1, "polynomial degree", 0, 100},
        {"a", 95, "quadrilaterals around", 3, max_rows},
        {"b", 41, "quadrilaterals across", 1, 1e8},
        {"m", 0, "unknowns a face, 0: 4 (p + 1)", 0, 1024}},
       make_hdg_omesh},
      {"like-fd18", "like Hohn/fd18: finite differences, nonsymmetric", scale(), make_like_fd18},
      {"like-g2", "like AMD/G2_circuit: a power grid, symmetric", scale(), make_like_g2},
      {"like-trans4", "like IBM_EDA/trans4: a circuit with one nearly full row and column", scale(), make_like_trans4},
      {"like-raj1", "like Rajat/Raj1: a circuit with a few huge rows and columns", scale(), make_like_raj1},
      {"samg", "like sAMG: an irregular Poisson problem, symmetric", scale(), make_samg},
      {"dlr1", "like DLR1: turbulent flow over a wing, 6 x 6 blocks, nonsymmetric", scale(), make_dlr1},
      {"dlr2", "like DLR2: inviscid flow over a wing, 5 x 5 blocks, nonsymmetric", scale(), make_dlr2},
      {"uhbr", "like UHBR: a turbine fan, 5 x 5 blocks, nonsymmetric, 554 million entries", scale(), make_uhbr},
  };
  for (Entry& entry : list) {
    entry.parameters.push_back({"seed", 1, "another number gives other values", 0, 0x1p53});
    entry.parameters.push_back({"permute", 0, "1: rows and columns renumbered at random", 0, 1});
  }
  return list;
}

}  // namespace

std::span<const Entry> entries() {
  static const std::vector<Entry> list = make_entries();
  return list;
}

std::string names() {
  std::string text;
  for (const Entry& entry : entries()) text += (text.empty() ? "" : " ") + entry.name;
  return text;
}

const Entry& find_entry(std::string_view name) {
  for (const Entry& entry : entries())
    if (entry.name == name) return entry;
  throw Error(join("unknown gallery matrix '", name, "'; there are: ", names()));
}

bool is_spec(std::string_view text) {
  const std::string_view name = spec_name(text);
  return std::any_of(entries().begin(), entries().end(), [&](const Entry& entry) { return entry.name == name; });
}

Csr<double> make(std::string_view spec, const Progress& progress, int num_threads, std::int64_t max_memory) {
  const Entry& entry = find_entry(spec_name(spec));
  const Values values = parse_values(entry, spec, num_threads > 0 ? num_threads : default_num_threads(), max_memory);
  if (!values.flag("permute")) return entry.make(values, progress);

  const auto half = [&](double start) {
    return progress ? Progress([&progress, start](double fraction) { progress(start + fraction / 2); }) : Progress();
  };
  const Csr<double> a = entry.make(values, half(0));
  const Array<Index> old_of = random_permutation(a.num_rows, values.seed());
  return permute_symmetrically(a, old_of.span(), values, half(0.5));
}

GlobalRows<double> make_rows(std::string_view spec, const SomeRows& rows, const Progress& progress, int num_threads,
                             std::int64_t max_memory) {
  const Entry& entry = find_entry(spec_name(spec));
  Values values = parse_values(entry, spec, num_threads > 0 ? num_threads : default_num_threads(), max_memory);
  if (values.flag("permute")) {
    const Csr<double> whole = make(spec, progress, num_threads, max_memory);
    const auto [first, last] = rows(whole.num_rows);
    return rows_of(whole, first, last);
  }
  std::int64_t begin = 0;
  values.want([&](std::int64_t num_rows) {
    const auto range = rows(num_rows);
    begin = range.first;
    return range;
  });
  const Csr<double> some = entry.make(values, progress);
  GlobalRows<double> found = rows_of(some, 0, some.num_rows);
  found.first = begin;
  return found;
}

}  // namespace millrace::gallery
