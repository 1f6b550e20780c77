// Which cell of a mesh holds a place, and at which reference coordinates: for values at points, for what goes from mesh
// to mesh, for pictures.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "millrace/base/queue.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// A place as a point of a cell.
struct Location {
  std::int32_t block = -1;
  Index cell = -1;      // of the block; -1: the place is outside
  Point reference{};    // coordinates in the reference cell
  double distance = 0;  // from the place to that point of the mesh: 0 unless the nearest one was asked for

  bool found() const { return cell >= 0; }
  friend bool operator==(const Location&, const Location&) = default;
};

/// What becomes of places outside of the mesh.
enum class Outside {
  skip,     // they have no cell
  nearest,  // the nearest point of the mesh stands for them, and the distance tells
  refuse,   // an Error says how many there are and names the first
};

/// Finds cells by place, straight or curved ones of all shapes: a tree of boxes around the cells, then Newton's method.
/// A place on a face belongs to the cell with the lowest number, of the first block that has one; results are the same
/// on every run and for any number of threads. The mesh must outlive the finder and stay as it is.
class CellFinder {
 public:
  /// Places up to `tolerance` outside of a cell, in its reference coordinates (0 to 0.01), belong to it; what rounding
  /// of coordinates makes of a place on a face does so in any case.
  explicit CellFinder(const Mesh& mesh, double tolerance = 1e-10);
  CellFinder(CellFinder&&) noexcept;
  CellFinder& operator=(CellFinder&&) noexcept;
  ~CellFinder();

  const Mesh& mesh() const;

  /// One place; in the plane its third coordinate is not looked at.
  Location locate(const Point& place, Outside outside = Outside::skip) const;
  /// Many places, on the threads of a queue of the host. [places]
  std::vector<Location> locate(Queue& queue, std::span<const Point> places, Outside outside = Outside::skip) const;

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

/// Where a point of a cell lies: the inverse of locate.
Point place_of(const Mesh& mesh, const Location& at);

}  // namespace millrace
