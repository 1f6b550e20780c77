// What verbs that solve write of their solution for the eye: the options --picture, --cut, --view, --range,
// --mesh-lines and --vtu, their checks before any work, and the picture.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "millrace/io/picture.hpp"

namespace millrace::command {

/// What a picture is to show, as the command line has it.
struct PictureRequest {
  std::string file;   // .png or .svg; none when empty
  std::string cut;    // as parse_cut takes it; empty: through the middle
  std::string view;   // "left,right,bottom,top"; empty: all
  std::string range;  // "low,high" of values; empty: those of the field
  bool mesh_lines = false;
};

void add_picture_options(CLI::App& app, PictureRequest& picture, std::string& vtu);

/// Refuses names of files that cannot be written, and texts that are no plane or no view, whatever the mesh.
void check_picture_options(std::string_view verb, const PictureRequest& asked, const std::string& vtu);

/// Refuses options that say what a picture shows where none is asked for. The verb has one more such option.
void require_picture(std::string_view verb, const PictureRequest& asked, std::string_view own_option, bool own_given);

/// The mesh of a case, and the texts of its picture.
struct PictureSubject {
  std::string_view verb;
  const Mesh& mesh;
  std::string case_file, title;
  std::string shown, label;  // the field: in a list of files, and beside the colours
};

/// A picture that only waits for its field: all that can be wrong with it is found before the work.
class FieldPicture {
 public:
  FieldPicture(const PictureRequest& asked, const PictureSubject& subject);
  /// Paints and writes the file. `signs`: zero has the colour in the middle, and there are no contour lines.
  void draw(const PictureField& field, bool signs = false) const;
  /// "u.png: |u|, cut at z = 0.5".
  const std::string& description() const { return description_; }
  const PlaneFigure& figure() const { return figure_; }
  /// How it is painted.
  PictureOptions options(bool signs) const;

 private:
  std::string file_, description_;
  PlaneFigure figure_;
  PictureOptions options_;
};

}  // namespace millrace::command
