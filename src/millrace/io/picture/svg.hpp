// A picture as the text of an SVG file.
#pragma once

#include <string>

#include "millrace/io/picture/scene.hpp"

namespace millrace::picture {

std::string svg_text(const PlaneFigure& figure, const Scene& scene, const Shading& shading,
                     const PictureOptions& options);

}  // namespace millrace::picture
