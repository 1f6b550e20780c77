// The small picture of a flow that a terminal shows at the end of a run.
#pragma once

#include <optional>
#include <string>

#include "verbs/flow/drawing.hpp"
#include "verbs/flow/small_view.hpp"

namespace millrace::command {

/// What the large picture shows, where one is asked for, else the first field of the equation: around the walls where
/// the far field is far away, or all of the mesh.
class FlowPreview {
 public:
  FlowPreview(const PreviewRoom& room, const PictureRequest& asked, const std::string& field, const hdg::Case& c);
  std::string text(const hdg::LocalSolver& solver, const hdg::State& state) const;

 private:
  PreviewRoom room_;
  FlowDrawing drawing_;
};

}  // namespace millrace::command
