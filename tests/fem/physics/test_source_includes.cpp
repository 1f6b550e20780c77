// Files that the text of a physics would include are found, however the line is written.
#include "millrace/fem/physics/source_includes.hpp"

#include "expect.hpp"

namespace millrace::testing {
namespace {

const std::vector<std::string> known{"cmath", "millrace/fem/point.hpp"};

TEST(SourceIncludes, AreFoundHoweverTheyAreWritten) {
  for (const char* text :
       {"#include \"my.h\"", "  #  include\t\"my.h\"  ", "%:include \"my.h\"", "#inc\\\nlude \"my.h\"",
        "#/* */include \"my.h\" // why", "/* a\n*/ #include \"my.h\"", "#if 0\n#include \"my.h\"\n#endif",
        "#include \\\r\n\"my.h\"", "#import \"my.h\"", "#include_next \"my.h\"", "#embed \"my.h\"",
        "auto t = R\"(\n/*\n)\";\n#include \"my.h\"", "char c = '\\\"';\n#include \"my.h\""}) {
    const auto found = includes_of(text);
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0].what, "\"my.h\"") << text;
  }
  for (const char* text :
       {"auto t = R\"x(\n#include \"my.h\"\n)\")x\";", "// #include \"my.h\"", "/*\n#include \"my.h\"\n*/",
        "const char* t = \"#include <x>\";", "#define include \"my.h\"", "int include = 1;", ""})
    EXPECT_TRUE(includes_of(text).empty()) << text;
  EXPECT_EQ(includes_of("int a;\\\nint b;\n\n#include <x>")[0].line, 4);
}

TEST(SourceIncludes, OfTextsThatAreCompiledWithItAreAccepted) {
  EXPECT_NO_THROW(require_known_includes("#include <cmath>\n#include \"millrace/fem/point.hpp\"\n", known));
  for (const char* what : {"\"my.h\"", "\"/opt/my.h\"", "<vector>", "\"../cmath\"", "NAME", "\"cmath"}) {
    const std::string text = error_of([&] { require_known_includes(std::string("\n#include ") + what, known); });
    EXPECT_TRUE(text.starts_with("physics source:2: a file cannot be included here, and ")) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_NE(text.find("accepted: headers of Millrace, <cmath>"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace millrace::testing
