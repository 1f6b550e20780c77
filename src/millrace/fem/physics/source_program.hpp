// From a physics given as source text to what NVRTC compiles: headers of ours, the user's text, and the kernels wanted.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "millrace/base/rtc.hpp"

namespace millrace {

/// A physics as C++ text: a struct that fem/point.hpp calls a Physics, or one for fem::Pointwise.
struct PhysicsSource {
  std::string text;  // defines it, with fem/physics.hpp and the namespace millrace open; may be empty
  std::string name;  // its type: "Layers", "fem::Pointwise<Layers>", a built-in one
  std::vector<std::byte> parameters{};  // the bytes of such an object; none: its members as they are initialised
};

namespace cuda {

/// For which elements it is compiled.
struct SourceShape {
  const char* scalar = "double";
  int comps = 1;
  bool fused = true;          // one kernel for hexes; or for the points alone
  int nodes = 2, points = 3;  // a direction, where fused
};

/// Kernels: [0] stores, [1] applies.
RtcRequest make_source_request(const PhysicsSource& source, const SourceShape& shape, const std::string& architecture);

/// Headers of this library as text, by the names #include knows: written by cmake/embed_headers.cmake.
struct EmbeddedHeader {
  const char *name, *text;
};
std::span<const EmbeddedHeader> embedded_headers();

}  // namespace cuda
}  // namespace millrace
