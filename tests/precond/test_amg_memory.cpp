// New values take no memory: the arrays that are allocated meanwhile are counted, but for the one offset of an empty
// matrix.
#include <atomic>
#include <cstdlib>

#include "millrace/precond/amg.hpp"
#include "millrace/sparse/gallery.hpp"
#include "precond/precond_tools.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ARRAYS 1
namespace {
std::atomic<std::int64_t> num_arrays{0};
}
extern "C" [[gnu::visibility("default")]] void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  if (bytes > 64) ++num_arrays;
  void* data = nullptr;
  return posix_memalign(&data, alignment, bytes) == 0 ? data : nullptr;
}
#endif

namespace millrace::testing {
namespace {

TEST(AmgMemory, NewValuesTakeNone) {
#ifndef COUNTS_ARRAYS
  GTEST_SKIP() << "a sanitizer counts for itself";
#else
  Queue queue(Device::host(), 2);
  const Csr<double> before = gallery::make("laplace3d7:16"), after = gallery::make("laplace3d7:16,contrast=3");
  for (const Precision precision : {Precision::full, Precision::single, Precision::bfloat16})
    for (const bool keep : {false, true})
      for (const AmgCycle cycle : {AmgCycle::w, AmgCycle::k}) {
        const std::int64_t at_first = num_arrays;
        Amg<double> m(queue, before,
                      {.coarsest_rows = 40, .cycle = cycle, .precision = precision, .keep_prolongators = keep});
        EXPECT_GT(num_arrays, at_first);
        m.update_values(queue, after);  // grows the scratch memory of the queue, once
        const std::int64_t made = num_arrays;
        m.update_values(queue, before);
        m.update_values(queue, after, trust);
        EXPECT_EQ(num_arrays - made, 0) << static_cast<int>(precision) << (keep ? ", kept" : "");
      }
#endif
}

}  // namespace
}  // namespace millrace::testing
