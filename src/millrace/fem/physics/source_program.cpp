// Writes the text that NVRTC compiles.
#include "millrace/fem/physics/source_program.hpp"

#include "millrace/base/error.hpp"
#include "millrace/fem/physics/source_includes.hpp"

namespace millrace::cuda {

RtcRequest make_source_request(const PhysicsSource& source, const SourceShape& shape, const std::string& architecture) {
  require(!source.name.empty(), "physics source: needs the name of the type that its text defines; it is empty");
  RtcRequest request;
  request.architecture = architecture;
  for (const EmbeddedHeader& header : embedded_headers()) request.headers.push_back({header.name, header.text});
  for (const char* name : {"cmath", "complex", "cstddef", "cstdint", "type_traits"})
    request.headers.push_back({name, "#include \"millrace/base/rtc_std.hpp\"\n"});
  std::vector<std::string> names;
  for (const RtcText& header : request.headers) names.push_back(header.name);
  require_known_includes(source.text, names);
  require(source.name.find('\n') == std::string::npos,
          "physics source: the name of the type has several lines; one is ", "accepted");
  request.main.name = "physics source";
  request.main.text = join(
      "#include \"millrace/fem/hex/source_entry.cuh\"\nusing namespace millrace;\n#line 1 \"physics source\"\n",
      source.text, "\n#line 1 \"name of the physics\"\nusing MillraceNamed = ", source.name,
      ";\n#line 1 \"checks of Millrace\"\n",
      "static_assert(fem::Physics<MillraceNamed>, \"the type named lacks a part of a physics: see fem/point.hpp, or "
      "name "
      "it fem::Pointwise<...> if it is written in physical coordinates\");\n"
      "static_assert(!fem::Physics<MillraceNamed> || cuda::fits<MillraceNamed, ",
      shape.comps, ">, \"the physics must be of dimension 3 and have as many components as the space: ", shape.comps,
      "\");\n"
      "using MillracePhysics = cuda::Checked<MillraceNamed, cuda::fits<MillraceNamed, ",
      shape.comps,
      ">>::type;\n"
      "using MillraceSource = cuda::SourcePhysics<MillracePhysics>;\n"
      "extern \"C\" __device__ MillracePhysics millrace_default{};\n"
      "extern \"C\" __device__ cuda::SourceFacts millrace_facts{MillracePhysics::dim, MillracePhysics::comps, "
      "MillracePhysics::num_stored, MillracePhysics::uses_value, MillracePhysics::uses_grad, "
      "fem::is_symmetric<MillracePhysics>, sizeof(MillracePhysics)};\n");
  request.kernels.push_back(join("millrace::cuda::store_physics_at_points<", shape.scalar, ", MillraceSource>"));
  request.kernels.push_back(join("millrace::cuda::apply_physics_at_points<", shape.scalar, ", MillraceSource>"));
  if (shape.fused)
    request.kernels.push_back(
        join("millrace::cuda::apply_hexes<", shape.scalar, ", ", shape.nodes, ", ", shape.points, ", MillraceSource>"));
  return request;
}

}  // namespace millrace::cuda
