// tests/data/bad_meshes holds one file a reason and the text of its error; and damage at any byte is no crash.
#include <algorithm>

#include "io/gmsh_tools.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace {
namespace {

TEST(BadMeshes, EachHasItsText) {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(MILLRACE_TEST_DATA) / "bad_meshes";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".msh") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 40u);
  for (const auto& file : files) {
    const std::string expected = test::load(std::filesystem::path(file).replace_extension(".txt"));
    const std::string what = test::error_of([&] { read_gmsh(file); });
    ASSERT_TRUE(what.starts_with(file.string() + ":")) << file << " gave: " << what;
    EXPECT_EQ(what.substr(folder.string().size() + 1) + "\n", expected);
  }
}

TEST(BadMeshes, BinaryErrorsNameTheByte) {
  const Mesh mesh = make_box(Cell::tet, {1, 1, 1});
  for (const auto& form : test::gmsh_forms) {
    if (!form.binary) continue;
    const std::string text = test::GmshWriter(form).write(mesh);
    const auto nodes = text.find("$Nodes\n");
    const std::string cut = test::error_of([&] { test::parse_mesh(text.substr(0, nodes + 60)); });
    EXPECT_TRUE(cut.starts_with("text: byte ")) << cut;
    std::string wrong = text;
    wrong[wrong.find("8\n") + 3] = 77;  // the number 1 behind the format
    EXPECT_NE(test::error_of([&] { test::parse_mesh(wrong); }).find("shows the order of bytes"), wrong.npos);
  }
}

// Cut anywhere, or one byte changed: it is read, or there is one line of text; nothing else ever happens.
TEST(BadMeshes, DamageIsNoCrash) {
  for (const bool periodic : {false, true})
    for (const auto& form : test::gmsh_forms) {
      const Mesh mesh = make_box(Cell::quad, {2, 1, 1}, {{}, {1, 1, 1}, {periodic, false, false}}, 2);
      const std::string text = test::GmshWriter(form).write(mesh);
      test::Numbers numbers;
      std::size_t num_errors = 0;
      const auto try_it = [&](const std::string& damaged) {
        const std::string error = test::error_of([&] { test::parse_mesh(damaged); });
        num_errors += !error.empty();
        EXPECT_TRUE(error.empty() || error.starts_with("text:")) << error;
      };
      for (std::size_t end = 0; end + 2 < text.size(); ++end) try_it(text.substr(0, end));
      if (!periodic) {  // a file may end without $Periodic
        EXPECT_EQ(num_errors, text.size() - 2) << form.text();
      }
      for (int k = 0; k < 3000; ++k) {
        std::string damaged = text;
        damaged[numbers.next() % text.size()] = static_cast<char>(numbers.next());
        try_it(damaged);
      }
    }
}

}  // namespace
}  // namespace millrace
