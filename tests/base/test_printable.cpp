// Texts that terminals and JSON can take.
#include "millrace/base/printable.hpp"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(Printable, WhatIsTextStays) {
  for (const char* text : {"", "A.mtx",
                           "Gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe6\xb0\xb4\xe8\xbb\x8a", "\xf0\x9f\x8c\x8a", "a\tb\nc"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(Printable, WhatIsNoUtf8IsWrittenAsHexDigits) {
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\\xffb");
  EXPECT_EQ(valid_utf8("\xc3"), "\\xc3");                             // cut off
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\\xc0\\xaf");                    // longer than it need be
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair of UTF-16
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
  EXPECT_EQ(valid_utf8("\xe2\x82"
                       "x"),
            "\\xe2\\x82x");
  EXPECT_EQ(printable("\xff"), "\\xff");
}

TEST(Printable, NothingMovesTheCursor) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable("a\rb\bc\x7f"), "a\\x0db\\x08c\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // the other way to begin such a sequence
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(valid_utf8("\x1b"), "\x1b");  // JSON writes it in its own way
}

}  // namespace
}  // namespace millrace
