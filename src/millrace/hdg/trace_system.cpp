// Where every block of every cell goes is found once.
#include "millrace/hdg/trace_system.hpp"

#include <algorithm>

#include "millrace/base/to_size.hpp"

namespace millrace::hdg {

TraceSystem::TraceSystem(const TraceSpace& space, int comps)
    : space_(space),
      block_(comps * space.face_modes()),
      values_(Offset{space.num_faces()} * space.max_neighbours() * block_ * block_, 0.0),
      matrix_(make_matrix()),
      rhs_(to_size(Offset{space.num_faces()} * block_)) {
  const int faces = space.faces_per_cell();
  slots_.reserve(to_size(Offset{space.num_cells()} * faces * faces));
  std::get<Dbf<double>>(matrix_.format()).visit_view([&](const auto& view) {
    for (Index cell = 0; cell < space.num_cells(); ++cell)
      for (int b = 0; b < faces; ++b)
        for (int a = 0; a < faces; ++a)
          slots_.push_back(view.find(space.trace(cell, a) * block_, space.trace(cell, b) * block_));
  });
}

// The pattern with zeros; the values are in memory of this object, so that cells can be added to them.
SparseMatrix<double> TraceSystem::make_matrix() {
  Dbf<double> dbf = Dbf<double>::from_blocks(block_, space_.max_neighbours(), space_.neighbours(), values_.span());
  dbf.vals = Array<double>::borrow(values_.device_span());
  return SparseMatrix<double>(AnyFormat<double>(std::move(dbf)));
}

void TraceSystem::clear() {
  std::fill_n(values_.data(), values_.size(), 0.0);
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
}

void TraceSystem::add(Index cell, const double* matrix, const double* rhs) {
  const int faces = space_.faces_per_cell(), m = faces * block_;
  const Offset* slot = slots_.data() + Offset{cell} * faces * faces;
  for (int b = 0; b < faces; ++b)
    for (int a = 0; a < faces; ++a) {
      double* to = values_.data() + *slot++;
      for (Index j = 0; j < block_; ++j) {
        const double* from = matrix + Offset{b * block_ + j} * m + a * block_;
        for (Index i = 0; i < block_; ++i) to[j * block_ + i] += from[i];
      }
    }
  for (int a = 0; a < faces; ++a) {
    double* to = rhs_.data() + Offset{space_.trace(cell, a)} * block_;
    for (Index i = 0; i < block_; ++i) to[i] += rhs[a * block_ + i];
  }
}

}  // namespace millrace::hdg
