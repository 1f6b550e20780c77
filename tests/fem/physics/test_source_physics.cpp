// Physics given as source text, as far as no GPU is needed: NVRTC compiles it, the cache keeps it, errors are clear.
#include "millrace/fem/source_physics.hpp"

#include <fstream>

#include "cache_folder.hpp"
#include "fem/fem_tools.hpp"
#include "fem/physics/source_texts.hpp"

namespace millrace::testing {
namespace {

/// Skips where there is no NVRTC to compile with.
class SourcePhysics : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!build::cuda) GTEST_SKIP() << "no CUDA";
    if constexpr (build::cuda) {
      try {
        compile({"struct Nothing;", "int"}, {.fused = false});
      } catch (const Unsupported& error) {
        GTEST_SKIP() << error.what();
      } catch (const Error&) {
      }
    }
  }
  static cuda::RtcProgram compile(const PhysicsSource& source, const cuda::SourceShape& shape) {
    if constexpr (build::cuda)
      return cuda::compile_at_run_time(cuda::make_source_request(source, shape, "sm_90"));
    else
      return {};
  }
  CacheFolder folder_;
};

TEST_F(SourcePhysics, CompilesForEveryKindOfKernel) {
  for (const char* scalar : {"double", "float"}) {
    const auto fused = compile(layers_source, {.scalar = scalar, .nodes = 4, .points = 5});
    ASSERT_EQ(fused.names.size(), 3u);
    EXPECT_NE(fused.names[0].find("store_physics_at_points"), std::string::npos) << fused.names[0];
    EXPECT_NE(fused.names[1].find("apply_physics_at_points"), std::string::npos) << fused.names[1];
    EXPECT_NE(fused.names[2].find("apply_hexes"), std::string::npos) << fused.names[2];
    EXPECT_EQ(fused.cubin.substr(1, 3), "ELF");
  }
  EXPECT_NE(compile(diffusion_source, {.nodes = 3, .points = 3}).names[2].find("apply_hexes"), std::string::npos);
  const auto points = compile(elasticity_source, {.comps = 3, .fused = false});
  EXPECT_NE(points.names[1].find("apply_physics_at_points"), std::string::npos) << points.names[1];
}

TEST_F(SourcePhysics, IsCompiledOnceAndKept) {
  const cuda::SourceShape shape{.fused = false};
  const auto first = compile(diffusion_source, shape), second = compile(diffusion_source, shape);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.cubin, second.cubin);
  EXPECT_EQ(first.names, second.names);
  EXPECT_FALSE(compile(diffusion_source, {.scalar = "float", .fused = false}).from_cache);
  PhysicsSource changed = diffusion_source;
  changed.text += "// another text\n";
  EXPECT_FALSE(compile(changed, shape).from_cache);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    std::filesystem::resize_file(entry.path(), 1000);  // broken
  const auto again = compile(diffusion_source, shape);
  EXPECT_FALSE(again.from_cache);
  EXPECT_EQ(again.cubin, first.cubin);
  EXPECT_TRUE(compile(diffusion_source, shape).from_cache);
  CacheFolder::use(folder_.path() / "no" / "\n" / std::string(300, 'x'));  // cannot be made: the name is too long
  EXPECT_FALSE(compile(diffusion_source, shape).from_cache);
}

TEST_F(SourcePhysics, ErrorsHaveTheUsersLines) {
  const auto text_of = [&](const PhysicsSource& source, const cuda::SourceShape& shape) {
    return error_of([&] { compile(source, shape); });
  };
  PhysicsSource wrong = layers_source;
  wrong.text.replace(wrong.text.find("v[0] = u[0];"), 12, "v[0] = w[0];");
  const std::string text = text_of(wrong, {.fused = false});
  EXPECT_NE(text.find("physics source: NVRTC "), std::string::npos) << text;
  EXPECT_NE(text.find("physics source(8): error: identifier \"w\" is undefined"), std::string::npos) << text;
  const std::string comps = text_of(layers_source, {.comps = 3, .fused = false});
  EXPECT_NE(comps.find("as many components as the space: 3"), std::string::npos) << comps;
  const std::string part = text_of({"struct Half { static constexpr int dim = 3, comps = 1; };", "Half"}, {});
  EXPECT_NE(part.find("lacks a part of a physics"), std::string::npos) << part;
  for (const std::string& one : {text, comps, part})
    EXPECT_NE(one.find("1 error detected"), std::string::npos) << one;  // what follows from the first is not shown
  const std::string name = text_of({layers_source.text, "Layer"}, {});
  EXPECT_NE(name.find("name of the physics(1): error"), std::string::npos) << name;
  EXPECT_EQ(text_of({layers_source.text, ""}, {}),
            "physics source: needs the name of the type that its text defines; it is empty");
}

TEST(SourcePhysicsErrors, AGpuIsNeeded) {
  const Mesh mesh = make_box(Cell::hex, {1, 1, 1});
  const Space space = make_space(mesh, 1);
  const auto text =
      error_of<Unsupported>([&] { make_element_operator<double>(Device::host(), mesh, space, layers_source); });
  EXPECT_NE(text.find(build::cuda ? "text is compiled for a GPU" : "no CUDA"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
