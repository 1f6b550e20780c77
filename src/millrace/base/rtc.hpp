// CUDA source text compiled at run time through NVRTC, and kept on disk (cache.hpp) by all it was made from. NVRTC is
// loaded when it is first needed; a machine without it is told so then. Compiling needs no GPU.
#pragma once

#include <string>
#include <vector>

namespace millrace::cuda {

struct RtcText {
  std::string name, text;
};

struct RtcRequest {
  RtcText main;                      // its name appears in the messages of the compiler
  std::vector<RtcText> headers{};    // as #include asks for them; there are no others
  std::vector<std::string> kernels;  // what is wanted: expressions such as "space::kernel<double, 3>"
  std::string architecture;          // "sm_90"
};

struct RtcProgram {
  std::string cubin;
  std::vector<std::string> names;  // of the kernels, as the cubin has them
  bool from_cache = false;
};

/// An Error has the messages of the compiler; lines count as #line says. Unsupported: no NVRTC here.
RtcProgram compile_at_run_time(const RtcRequest& request);

/// Since this process began.
struct RtcCounts {
  int compiled = 0, from_cache = 0;
};
RtcCounts rtc_counts();

}  // namespace millrace::cuda
