// Integrals over parts of the boundary, by physical group: the faces with their places, normals and weights, Neumann
// loads (h, v), and the Robin term (alpha u, v) as an operator.
#pragma once

#include <optional>

#include "millrace/fem/element/data.hpp"
#include "millrace/fem/groups.hpp"
#include "millrace/fem/place_function.hpp"
#include "millrace/fem/space.hpp"
#include "millrace/mesh/topology.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace {

/// How integrals over faces are made.
struct BoundaryOptions {
  int degree = -1;                     // the rule on a face is exact to this degree; -1: 2 order + 2 of the space
  const Topology* topology = nullptr;  // make_topology(mesh, space.sides), for several boundaries; null: it is made
};

/// Some faces of a mesh, as cells of one dimension less with the nodes of a space, and their rule.
struct Boundary {
  Cell face = Cell::quad;  // segment, triangle or quad
  int dim = 3;             // of the mesh
  Index num_faces = 0;
  int num_nodes = 0, num_points = 0;  // of a face
  int comps = 1;                      // of the space
  std::int64_t comp_stride = 0;       // component c of node n is entry n + c * comp_stride
  std::int64_t num_dofs = 0;          // of the space
  std::vector<Index> nodes;           // [num_faces, num_nodes]: of the space
  std::vector<double> values;         // [num_points, num_nodes]: of the shape functions of a face
  std::vector<double> places;         // [num_faces, num_points, dim]
  std::vector<double> normals;        // [num_faces, num_points, dim]: of length 1, out of the cell of the face
  std::vector<double> weights;        // [num_faces, num_points]: of the rule, times the area that the map makes of it
  SharedNodes sums;  // of every node on these faces: its places in a face vector [num_faces, num_nodes]

  Point place(Index f, int q) const { return point(places, f, q); }
  Point normal(Index f, int q) const { return point(normals, f, q); }

 private:
  Point point(const std::vector<double>& of, Index f, int q) const {
    Point x{};
    std::copy_n(of.data() + (Offset{f} * num_points + q) * dim, dim, x.data());
    return x;
  }
};

/// The faces of these groups: by name or tag, one or several; 0: faces of the boundary in no group. A face in several
/// of them counts once. How the mesh file orients a face does not matter: normals point out of its cell. A face between
/// two cells has no outside: an Error names the group that has one.
Boundary make_boundary(const Mesh& mesh, const Space& space, const Groups& groups, const BoundaryOptions& options = {});
/// All faces with one cell.
Boundary make_whole_boundary(const Mesh& mesh, const Space& space, const BoundaryOptions& options = {});

/// b += (h, v) over the faces: Neumann's condition k du/dn = h, a traction, or the right-hand side of Robin's. h is a
/// function of the place and, if it likes, of the outward unit normal, with as many components as the space. Computed
/// on the host, in double; for b on a GPU the result is copied there. The same bits twice and for any number of
/// threads.
template <class T>
void add_boundary_load(Queue& queue, const Boundary& boundary, const PlaceFunction& h,
                       std::type_identity_t<Vectors<T>> b);

/// (alpha u, v) over the faces, for Robin's condition k du/dn + alpha u = g, whose g is a boundary load. alpha is one
/// number for all components or one for each, constant or a function of place and normal; negative ones are accepted.
/// On the host face by face; on a GPU as the assembled matrix, which has few entries. Traffic: node numbers and
/// factors of the faces; all of y, but x on the faces alone.
template <class T>
class BoundaryOperator final : public Operator<T> {
 public:
  BoundaryOperator(const Boundary& boundary, const PlaceFunction& alpha);

  /// A copy on that device, of an operator on the host.
  BoundaryOperator to(Device device) const;

  Shape shape() const override { return {num_dofs_, num_dofs_}; }
  Device device() const override { return matrix_ ? matrix_->device() : Device::host(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override { return true; }

  /// y = the diagonal, with zeros away from the faces. [num_dofs].
  void diagonal(Queue& queue, Vectors<T> y) const;
  /// The matrix: all rows of the space, those away from the faces empty; symmetric to the bit. On the host.
  Csr<T> assemble(Queue& queue) const;

 private:
  BoundaryOperator() = default;
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;
  /// The factors of a component: [num_faces, num_points].
  const T* factors_of(int comp) const {
    return factors_.data() + (alphas_ == 1 ? 0 : Offset{comp} * num_faces_ * num_points_);
  }
  /// y += alpha times the sums of face vectors made by f(face, component, vector [num_nodes]).
  template <class F>
  void add_faces(int num_threads, T alpha, T* y, F&& f) const;

  std::int64_t num_dofs_ = 0, comp_stride_ = 0;
  Index num_faces_ = 0;
  int comps_ = 1, alphas_ = 1, num_nodes_ = 0, num_points_ = 0;
  std::vector<Index> nodes_;  // [num_faces, num_nodes]
  std::vector<T> values_;     // [num_points, num_nodes]
  std::vector<T> factors_;    // [alphas, num_faces, num_points]: alpha times the weight
  SharedNodes sums_;
  std::optional<SparseMatrix<T>> matrix_;  // on a GPU
  Array<T> diagonal_;                      // there
};

extern template class BoundaryOperator<float>;
extern template class BoundaryOperator<double>;

}  // namespace millrace
