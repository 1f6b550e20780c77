// Loads NVRTC, compiles, and reads and writes the cache.
#include "millrace/base/rtc.hpp"

#include "millrace/base/cache.hpp"
#include "millrace/base/cuda.cuh"

#if MILLRACE_WITH_NVRTC
#include <dlfcn.h>
#include <nvrtc.h>

#include <atomic>
#include <cstring>

namespace millrace::cuda {
namespace {

/// The functions of the library that are used here, with their own names and types.
struct Nvrtc {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetErrorString) error_string;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcAddNameExpression) add_name;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;
  decltype(&nvrtcGetLoweredName) lowered_name;
  int major = 0, minor = 0;
};

Nvrtc load_nvrtc() {
  const std::string name = join("libnvrtc.so.", CUDART_VERSION / 1000);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(MILLRACE_NVRTC_LIBRARY, RTLD_NOW | RTLD_LOCAL);  // where the build found it
  require<Unsupported>(library, "compiling at run time needs ", name,
                       " of the CUDA toolkit, which was not found; put its folder into LD_LIBRARY_PATH");
  Nvrtc n;
  const auto find = [&]<class F>(F& function, const char* symbol) {
    function = reinterpret_cast<F>(dlsym(library, symbol));
    require<Unsupported>(function, name, " has no function ", symbol);
  };
  find(n.version, "nvrtcVersion");
  find(n.error_string, "nvrtcGetErrorString");
  find(n.create, "nvrtcCreateProgram");
  find(n.destroy, "nvrtcDestroyProgram");
  find(n.add_name, "nvrtcAddNameExpression");
  find(n.compile, "nvrtcCompileProgram");
  find(n.log_size, "nvrtcGetProgramLogSize");
  find(n.log, "nvrtcGetProgramLog");
  find(n.cubin_size, "nvrtcGetCUBINSize");
  find(n.cubin, "nvrtcGetCUBIN");
  find(n.lowered_name, "nvrtcGetLoweredName");
  n.version(&n.major, &n.minor);
  return n;
}

const Nvrtc& nvrtc() {
  static const Nvrtc library = load_nvrtc();
  return library;
}

/// A program of NVRTC, destroyed at the end.
class Program {
 public:
  explicit Program(const RtcRequest& request) {
    std::vector<const char*> names, texts;
    for (const RtcText& header : request.headers) {
      names.push_back(header.name.c_str());
      texts.push_back(header.text.c_str());
    }
    check(nvrtc().create(&program_, request.main.text.c_str(), request.main.name.c_str(),
                         static_cast<int>(names.size()), texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtc().destroy(&program_); }

  nvrtcProgram get() const { return program_; }
  static void check(nvrtcResult code, const char* call) {
    if (code != NVRTC_SUCCESS) throw CudaError(join(call, ": ", nvrtc().error_string(code)));
  }
  std::string log() const {
    std::size_t size = 0;
    check(nvrtc().log_size(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    check(nvrtc().log(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

// Functions without a mark are of the device, as those of a physics that was written for a host alone.
constexpr const char* options[] = {"-std=c++20", "-default-device"};

RtcProgram compile(const RtcRequest& request) {
  const Program program(request);
  for (const std::string& kernel : request.kernels)
    Program::check(nvrtc().add_name(program.get(), kernel.c_str()), "nvrtcAddNameExpression");
  const std::string architecture = "--gpu-architecture=" + request.architecture;
  std::vector<const char*> flags(std::begin(options), std::end(options));
  flags.push_back(architecture.c_str());
  const nvrtcResult code = nvrtc().compile(program.get(), static_cast<int>(flags.size()), flags.data());
  require(code == NVRTC_SUCCESS, request.main.name, ": NVRTC ", nvrtc().major, '.', nvrtc().minor,
          " cannot compile it for ", request.architecture, " (", nvrtc().error_string(code), "):\n",
          [&] { return program.log(); });
  RtcProgram result;
  std::size_t size = 0;
  Program::check(nvrtc().cubin_size(program.get(), &size), "nvrtcGetCUBINSize");
  result.cubin.resize(size);
  Program::check(nvrtc().cubin(program.get(), result.cubin.data()), "nvrtcGetCUBIN");
  for (const std::string& kernel : request.kernels) {
    const char* name = nullptr;
    Program::check(nvrtc().lowered_name(program.get(), kernel.c_str(), &name), "nvrtcGetLoweredName");
    result.names.emplace_back(name);
  }
  return result;
}

std::string key_of(const RtcRequest& request) {
  std::string key = join("NVRTC ", nvrtc().major, '.', nvrtc().minor, ", ", request.architecture, '\n');
  const auto add = [&](const std::string& part) { key += join(part.size(), ':', part, '\n'); };
  for (const char* option : options) add(option);
  for (const std::string& kernel : request.kernels) add(kernel);
  add(request.main.name);
  add(request.main.text);
  for (const RtcText& header : request.headers) add(header.name), add(header.text);
  return key;
}

std::atomic<int> num_compiled = 0, num_from_cache = 0;

}  // namespace

RtcProgram compile_at_run_time(const RtcRequest& request) {
  const std::string key = key_of(request);
  if (auto kept = read_cached("rtc", key)) {  // the names, one per line, an empty line, the cubin
    RtcProgram program;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < request.kernels.size(); ++i) {
      const std::size_t end = kept->find('\n', begin);
      program.names.push_back(kept->substr(begin, end - begin));
      begin = end + 1;
    }
    program.cubin = kept->substr(begin + 1);
    program.from_cache = true;
    ++num_from_cache;
    return program;
  }
  RtcProgram program = compile(request);
  ++num_compiled;
  std::string content;
  for (const std::string& name : program.names) content += name + '\n';
  write_cached("rtc", key, content + '\n' + program.cubin);
  return program;
}

RtcCounts rtc_counts() { return {num_compiled, num_from_cache}; }

}  // namespace millrace::cuda

#else

namespace millrace::cuda {

RtcProgram compile_at_run_time(const RtcRequest&) {
  throw Unsupported("compiling at run time needs NVRTC of the CUDA toolkit, which this build did not find");
}
RtcCounts rtc_counts() { return {}; }

}  // namespace millrace::cuda

#endif
