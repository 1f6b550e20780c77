// What users write: names, keys, values, and the texts they get for wrong ones.
#include <gtest/gtest.h>

#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/gallery/ring.hpp"
#include "sparse/gallery/test_gallery_common.hpp"

namespace millrace {
namespace {

std::string error_of(std::string_view spec, std::int64_t max_memory = 0) {
  try {
    gallery::make(spec, {}, 0, max_memory);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(GallerySpec, NamesAreRecognised) {
  EXPECT_TRUE(gallery::is_spec("hmep"));
  EXPECT_TRUE(gallery::is_spec("poisson3d7:128"));
  EXPECT_FALSE(gallery::is_spec("hmep.mtx"));
  EXPECT_FALSE(gallery::is_spec("poisson3d"));
  EXPECT_FALSE(gallery::is_spec(""));
  EXPECT_EQ(gallery::make("poisson2d5:12").num_rows, 144);
  EXPECT_EQ(gallery::make("poisson2d5:12,ny=3").num_rows, 36);
  EXPECT_EQ(gallery::make("poisson2d5:ny=3,n=12").num_rows, 36);
  EXPECT_EQ(gallery::make("random:1e3").num_rows, 1000);
  EXPECT_EQ(gallery::make("hmep:2").num_rows, 400 * 21);
}

TEST(GallerySpec, EveryEntryExplainsItself) {
  for (const auto& entry : gallery::entries()) {
    EXPECT_FALSE(entry.help.empty());
    ASSERT_GE(entry.parameters.size(), 3u);
    for (const auto& parameter : entry.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << entry.name << ' ' << parameter.name;
      EXPECT_LE(parameter.lower, parameter.default_value) << entry.name << ' ' << parameter.name;
      EXPECT_GE(parameter.upper, parameter.default_value) << entry.name << ' ' << parameter.name;
    }
  }
}

TEST(GallerySpec, ErrorsSayWhatThereIs) {
  EXPECT_EQ(error_of("poison:3"), "unknown gallery matrix 'poison'; there are: " + gallery::names());
  EXPECT_NE(gallery::names().find("hmep powerlaw hugerow random cfd hdg hdg-omesh like-fd18"), std::string::npos);
  EXPECT_EQ(error_of("poisson3d7:m=3"), "poisson3d7 has no parameter 'm'; it has: n nx ny nz seed permute");
  EXPECT_EQ(error_of("poisson2d5:n=abc"),
            "poisson2d5: n = 'abc' is not a number; it takes a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of("poisson2d5:"), "'poisson2d5:': nothing follows the colon; a value of n or key=value would");
  EXPECT_EQ(error_of("poisson2d5:3,"), "'poisson2d5:3,': key=value is missing after the last comma");
  EXPECT_EQ(error_of("poisson2d5:3,4"),
            "'poisson2d5:3,4': '4' is not key=value; only the first value can go without its key");
  EXPECT_EQ(error_of("poisson2d5:3,n=4"), "'poisson2d5:3,n=4': n is given twice");
  EXPECT_EQ(error_of("poisson2d5:2.5"),
            "poisson2d5: n = 2.5 is not possible; it takes a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of("cfd:block=0"), "cfd: block = 0 is not possible; it takes a whole number from 1 to 64");
  EXPECT_EQ(error_of("poisson2d5:3,permute=2"),
            "poisson2d5: permute = 2 is not possible; it takes a whole number from 0 to 1");
  EXPECT_NE(error_of("hmep:U=nan").find("is not a number; it takes a number from -1000000 to 1000000"),
            std::string::npos);
}

TEST(GallerySpec, SizesThatCannotBeAreRefusedWithFigures) {
  EXPECT_EQ(error_of("poisson3d7:2000"),
            "poisson3d7: 2000 x 2000 x 2000 would make 8000000000 rows; at most 2147483647 are possible");
  EXPECT_NE(error_of("poisson3d7:2e9").find("2000000000 x 2000000000 x 2000000000 would make 8e+27"),
            std::string::npos);
  EXPECT_NE(error_of("cfd:1000,block=5").find("would make 5000000000 rows"), std::string::npos);
  EXPECT_NE(error_of("hdg:1000,faces=3e6").find("would make 3000000000 rows"), std::string::npos);
  for (const char* faces : {"5", "11"})  // such a mesh never had seven neighbours to offer, and the search had no end
    EXPECT_EQ(error_of(std::string("hdg:na=7,faces=") + faces),
              std::string("hdg: faces = ") + faces +
                  " makes a mesh of 4 faces, fewer than the na = 7 blocks of a row; 12 or more are accepted");
  EXPECT_EQ(gallery::make("hdg:m=1,na=7,faces=12").num_rows, 12);
  EXPECT_EQ(error_of("hdg:na=6"), "hdg: na = 6; it can be 5 (triangles) or 7 (quadrilaterals)");
  EXPECT_NE(error_of("hmep:60").find("20 up x 20 down x"), std::string::npos);
  EXPECT_EQ(error_of("hmep:up=7"), "hmep: 7 up and 3 down electrons do not fit on 6 sites; each spin takes 0..6");
  EXPECT_NE(error_of("dlr1:0.001").find("makes 46 points of 6 rows; between 200 and"), std::string::npos);
  EXPECT_NE(error_of("samg:1000").find("between 200 and 2147483647 points"), std::string::npos);
  EXPECT_NE(error_of("random:10,k=11").find("k = 11 entries a row do not fit into n = 10 columns"), std::string::npos);
  EXPECT_NE(error_of("powerlaw:100").find("needs n >= 960; n is 100"), std::string::npos);
}

TEST(GallerySpec, AbsurdSizesAreRefusedAtOnce) {
  EXPECT_NE(error_of("poisson3d7:n=100000").find("1000000000000000 rows; at most 2147483647"), std::string::npos);
  for (const char* spec : {"poisson3d7:n=1290", "poisson2d9:n=46000", "random:n=2000000000,k=1000",
                           "powerlaw:n=2000000000,mean=1000", "hugerow:n=2000000000,k=64", "cfd:n=300,block=64",
                           "hdg:m=1024,faces=2000000", "hdg-omesh:a=20000,b=10,m=1024", "uhbr:scale=400"})
    EXPECT_NE(error_of(spec, 8'000'000'000).find("the limit is 8.00 GB"), std::string::npos) << spec;
  EXPECT_NE(error_of("holstein-hubbard:sites=10,up=5,down=5,quanta=3", 1'000'000'000).find("the limit is 1.00 GB"),
            std::string::npos);
  for (const gallery::Entry& entry : gallery::entries())  // every one of them knows its size before it begins
    EXPECT_NE(error_of(entry.name, 1000).find("; the limit is 1.00 kB"), std::string::npos) << entry.name;
  EXPECT_EQ(error_of("poisson2d5:n=10", 100'000), "no error");
}

}  // namespace
}  // namespace millrace
