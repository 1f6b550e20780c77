// Block rows of the trace systems, from the faces of a mesh.
#include "millrace/sparse/gallery/hdg.hpp"

#include "millrace/base/sort_unique.hpp"
#include "millrace/sparse/gallery/pattern.hpp"

namespace millrace::gallery {
namespace {

/// Elements by their faces, and the elements at each face.
struct Faces {
  Index num_faces;
  std::size_t per_element;
  std::vector<Index> elements{};  // [num_elements, per_element]
  std::vector<Index> sides{};     // [num_faces, 2], -1 where there is none

  void add(std::initializer_list<std::int64_t> faces) {
    for (const std::int64_t face : faces) elements.push_back(static_cast<Index>(face));
  }
  void find_sides() {
    sides.assign(2 * static_cast<std::size_t>(num_faces), -1);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      Index* side = &sides[2 * static_cast<std::size_t>(elements[k])];
      side[side[0] < 0 ? 0 : 1] = static_cast<Index>(k / per_element);
    }
  }
  void neighbours(Index face, std::vector<Index>& list) const {
    for (std::size_t s = 0; s < 2; ++s) {
      const Index element = sides[2 * static_cast<std::size_t>(face) + s];
      if (element < 0) continue;
      const auto first = elements.begin() + static_cast<std::ptrdiff_t>(per_element) * element;
      list.insert(list.end(), first, first + static_cast<std::ptrdiff_t>(per_element));
    }
    sort_unique(list);
  }
};

Faces make_square(std::int64_t s, bool cut) {
  const std::int64_t num_level = s * (s + 1);
  const auto level = [=](std::int64_t i, std::int64_t j) { return j * s + i; };  // below square (i, j)
  const auto upright = [=](std::int64_t i, std::int64_t j) { return num_level + j * (s + 1) + i; };
  const auto diagonal = [=](std::int64_t i, std::int64_t j) { return 2 * num_level + j * s + i; };
  Faces faces{static_cast<Index>(2 * num_level + (cut ? s * s : 0)), cut ? std::size_t{3} : std::size_t{4}};
  for (std::int64_t j = 0; j < s; ++j)
    for (std::int64_t i = 0; i < s; ++i) {
      if (cut) {
        faces.add({level(i, j), upright(i + 1, j), diagonal(i, j)});
        faces.add({level(i, j + 1), upright(i, j), diagonal(i, j)});
      } else {
        faces.add({level(i, j), level(i, j + 1), upright(i, j), upright(i + 1, j)});
      }
    }
  faces.find_sides();
  return faces;
}

Faces make_ring(std::int64_t a, std::int64_t b) {
  // Faces are numbered layer by layer outwards: a along the ring, a radial, a diagonal.
  const auto along = [=](std::int64_t i, std::int64_t j) { return 3 * a * j + i % a; };
  const auto radial = [=](std::int64_t i, std::int64_t j) { return 3 * a * j + a + i % a; };
  const auto diagonal = [=](std::int64_t i, std::int64_t j) { return 3 * a * j + 2 * a + i; };
  Faces faces{static_cast<Index>(a * (3 * b + 1)), 3};
  for (std::int64_t j = 0; j < b; ++j)
    for (std::int64_t i = 0; i < a; ++i) {
      faces.add({along(i, j), radial(i + 1, j), diagonal(i, j)});
      faces.add({along(i, j + 1), radial(i, j), diagonal(i, j)});
    }
  faces.find_sides();
  return faces;
}

/// Adds the nearest face numbers until the list has `wanted` members.
void pad(Index face, Index num_faces, std::size_t wanted, std::vector<Index>& list) {
  for (Index distance = 1; list.size() < wanted; ++distance)
    for (const Index other : {face + distance, face - distance}) {
      if (list.size() == wanted || other < 0 || other >= num_faces) continue;
      const auto at = std::lower_bound(list.begin(), list.end(), other);
      if (at == list.end() || *at != other) list.insert(at, other);
    }
}

}  // namespace

Csr<double> make_hdg(const Values& values, const Progress& progress) {
  const std::int64_t m = values.integer("m"), na = values.integer("na"), wanted = values.integer("faces");
  require(na == 5 || na == 7, values.name(), ": na = ", na, "; it can be 5 (triangles) or 7 (quadrilaterals)");
  const double num_rows = checked_rows(values.name(), {m, wanted});
  values.require_memory(num_rows, num_rows * static_cast<double>(m * na));
  const auto num_faces = [&](std::int64_t s) { return na == 5 ? 3 * s * s + 2 * s : 2 * s * (s + 1); };
  std::int64_t s = 1;
  while (num_faces(s + 1) <= wanted) ++s;
  std::int64_t least = 1;
  while (num_faces(least) < na) ++least;
  require(s >= least, values.name(), ": faces = ", wanted, " makes a mesh of ", num_faces(s),
          " faces, fewer than the na = ", na, " blocks of a row; ", num_faces(least), " or more are accepted");
  const Faces faces = make_square(s, na == 5);
  const auto columns = [&](Index face, std::vector<Index>& list) {
    faces.neighbours(face, list);
    pad(face, faces.num_faces, static_cast<std::size_t>(na), list);
  };
  const Pattern pattern = pattern_from_rows(faces.num_faces, values.num_threads(), columns);
  return fill_blocks(pattern, static_cast<Index>(m), values, progress);
}

Csr<double> make_hdg_omesh(const Values& values, const Progress& progress) {
  const std::int64_t a = values.integer("a"), b = values.integer("b"), own = values.integer("m");
  const std::int64_t m = own > 0 ? own : 4 * (values.integer("p") + 1);
  const double num_rows = checked_rows(values.name(), {a, 3 * b + 1, m});
  values.require_memory(num_rows, 5 * num_rows * static_cast<double>(m));
  const Faces faces = make_ring(a, b);
  const auto columns = [&](Index face, std::vector<Index>& list) { faces.neighbours(face, list); };
  const Pattern pattern = pattern_from_rows(faces.num_faces, values.num_threads(), columns);
  return fill_blocks(pattern, static_cast<Index>(m), values, progress);
}

}  // namespace millrace::gallery
