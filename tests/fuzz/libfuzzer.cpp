// One target for libFuzzer: MILLRACE_FUZZ_TARGET is its name.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const millrace::fuzz::Target& target : millrace::fuzz::targets())
    if (std::strcmp(target.name, MILLRACE_FUZZ_TARGET) == 0) {
      millrace::fuzz::run(target, {reinterpret_cast<const char*>(data), size});
      return 0;
    }
  std::abort();  // no such target
}
