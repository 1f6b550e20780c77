// What is to be solved: an equation, the conditions on the boundary groups of a mesh, a source; and the unknowns.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "millrace/hdg/equation.hpp"
#include "millrace/hdg/trace_space.hpp"

namespace millrace::hdg {

/// Numbers at a place: x [3] in, the third of which is 0 in the plane; one number per component out.
using PointFunction = std::function<void(const double* x, double* values)>;

/// The same at a place and a time.
using TimeFunction = std::function<void(const double* x, double time, double* values)>;

/// What holds on a physical group of boundary faces.
struct BoundaryCondition {
  std::string group;
  std::string kind;             // of the equation's
  PointFunction data{};         // what the kind takes; empty: zeros
  TimeFunction data_in_time{};  // in the place of `data` where it changes with time
};

struct Problem {
  std::shared_ptr<const Equation> equation;
  std::vector<BoundaryCondition> conditions;
  PointFunction source{};         // added to that of the equation; empty: none
  TimeFunction source_in_time{};  // added to both
};

/// Coefficients of the orthonormal functions of the reference cell and face.
struct State {
  std::vector<double> u;      // [cells, comps, cell modes]
  std::vector<double> trace;  // [faces, comps, face modes], in the numbers of the traces
};

/// The function at one time; empty where that is.
PointFunction at_time(const TimeFunction& function, double time);

/// A function at places [dim, stride], of which the first `num` count: [comps, num].
std::vector<double> sample(const PointFunction& function, int dim, int comps, const double* places, int stride,
                           int num);

/// The best approximation of a function on every cell, and on every face.
State project(const TraceSpace& space, int comps, const PointFunction& function);

/// The same functions in a space of higher order on the same mesh.
State raise(const TraceSpace& from, const State& state, const TraceSpace& to);

/// A state of any order on the same mesh in this space: functions that it lacks are zero, functions that this space
/// lacks are left out, which is the best approximation on the reference cell and face.
State with_order(const State& state, int order, int comps, const TraceSpace& to);

/// The name of a group of boundary faces: "wall", or "#11" where it has only a tag.
std::string group_name(const Mesh& mesh, std::int32_t tag);

/// Kinds and data on the faces, checked: every boundary face must be in one group with a condition, every condition
/// must have a group, and no group may lie between cells.
struct BoundaryTable {
  BoundaryTable(const TraceSpace& space, const Problem& problem);
  /// The data that change with time, at this one.
  void set_time(const TraceSpace& space, const Problem& problem, double time);
  std::vector<int> kind;                                // [faces of the topology]: -1 between cells
  std::vector<Offset> first;                            // [faces of the topology]: into data
  std::vector<double> data;                             // [boundary faces, comps, face points]
  std::vector<std::pair<Index, std::size_t>> changing;  // faces whose data change with time, and their conditions
};

}  // namespace millrace::hdg
