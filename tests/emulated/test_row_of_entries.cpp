// The row of every entry, lane by lane on the host.
#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/row_of_entries.cuh"

namespace millrace::testing {
namespace {

/// Rows of up to `most` entries; some are empty.
void expect_rows(Index num_rows, Index most) {
  SCOPED_TRACE(::testing::Message() << num_rows << " rows");
  std::vector<Offset> row_ptr{0};
  std::vector<Index> expected;
  for (Index r = 0; r < num_rows; ++r) {
    expected.insert(expected.end(), to_size(r * 7 % (most + 1)), r);
    row_ptr.push_back(std::ssize(expected));
  }
  std::vector<Index> found(expected.size(), -1);
  emulator::launch(dim3(static_cast<unsigned>(num_rows + 255) / 256), dim3(256), 0, [&] {
    emulated::name_rows({row_ptr.data(), nullptr}, Offset{num_rows}, found.data());
  });
  EXPECT_EQ(found, expected);
}

TEST(EmulatedRowOfEntries, IsWhereItStands) {
  expect_rows(1, 3);
  expect_rows(256, 9);
  expect_rows(700, 5);
  expect_rows(300, 90);  // too many for shared memory
}

}  // namespace
}  // namespace millrace::testing
