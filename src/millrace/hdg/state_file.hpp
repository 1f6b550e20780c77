// The state file of a flow (.mrs): coefficients, what they belong to, and where Newton's method and the steps in time
// stand, each with a checksum, so that a run can go on as if it had not been stopped. docs/file-formats.md has the
// layout byte by byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "millrace/hdg/time_steps.hpp"

namespace millrace::hdg {

/// What a state belongs to, in a few numbers; spaces of all orders on a mesh have the same.
struct MeshIdentity {
  int dim = 0;
  Index num_cells = 0, num_faces = 0;
  std::uint64_t geometry = 0;   // checksum of points and nodes of cells, to the last bit
  std::uint64_t numbering = 0;  // checksum of the numbers and orientations of the faces of cells
  bool operator==(const MeshIdentity&) const = default;
};
MeshIdentity identity_of(const TraceSpace& space);

/// Where steps in time stand; a steady flow leaves it as it is.
struct SavedTime {
  double time = 0, step = 0;         // the step is what the error estimate proposes next; 0: that of the case
  double last_error = 0;             // estimated for the last step
  int num_steps = 0;                 // made so far; 0: time has not begun
  std::vector<TimeLevel> earlier{};  // of BDF 2, the latest first
};

struct SavedState {
  std::string equation{};   // its name
  std::string case_text{};  // of the case that was run, for the record
  MeshIdentity mesh{};
  int comps = 0, order = 0;
  State state{};
  Continuation continuation{};
  double mass_start = 0;  // integral of component 0 where the run began
  SavedTime time{};
};

/// The file is complete under its name or is what it was before: a program that is killed meanwhile leaves the last
/// state whole.
void write_state(const std::filesystem::path& path, const SavedState& saved);

/// The same bits. An IoError refuses a file that is damaged, cut off, too long, of another version or inconsistent.
SavedState read_state(const std::filesystem::path& path);

/// An Error, beginning with `name`, unless the state is one of this equation on this mesh, of any order.
void require_fit(const SavedState& saved, const std::string& name, const MeshIdentity& mesh, const Equation& equation);
/// The same unless steps in time that end then can go on from it.
void require_fit(const SavedState& saved, const std::string& name, double time_end);

}  // namespace millrace::hdg
