// Names of devices, and what is known of the host.
#include "millrace/base/device.hpp"

#include <unistd.h>
#include <charconv>
#include <fstream>
#include <string>

#include "millrace/base/error.hpp"
#include "millrace/base/parallel.hpp"

namespace millrace {

namespace cuda {
int num_gpus();
DeviceFacts facts(int number);
}  // namespace cuda

namespace {

// "model name : X" on x86; the implementer and part numbers on Arm, where the kernel gives no name.
std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line, part;
  while (std::getline(info, line)) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name")) return line.substr(colon + 2);
    if (line.starts_with("CPU part")) part = line.substr(colon + 2);
  }
  if (part == "0xd40") return "Arm Neoverse-V1";
  if (part == "0xd4f") return "Arm Neoverse-V2";
  if (part == "0xd0c") return "Arm Neoverse-N1";
  if (part == "0xd49") return "Arm Neoverse-N2";
  return part.empty() ? "unknown CPU" : "Arm CPU, part " + part;
}

std::int64_t last_cache_bytes() {
  std::int64_t largest = 0;
  for (int level = 0; level < 8; ++level) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
    std::int64_t kib = 0;
    char unit = 'K';
    if (!(file >> kib)) break;
    file >> unit;
    largest = std::max(largest, kib * (unit == 'M' ? 1 << 20 : 1 << 10));
  }
  return largest;
}

}  // namespace

std::string to_string(Device device) { return device.on_host() ? "cpu" : "gpu:" + std::to_string(device.number()); }

int num_gpus() {
  if constexpr (build::cuda)
    return cuda::num_gpus();
  else
    return 0;
}

Device parse_device(std::string_view text) {
  if (text == "cpu" || text == "host") return Device::host();
  std::string_view rest = text;
  for (const std::string_view prefix : {"gpu", "cuda"})
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      break;
    }
  int number = 0;
  const bool named = rest.size() < text.size();
  if (named && !rest.empty()) {
    const char* end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data() + 1, end, number);
    require(rest[0] == ':' && error == std::errc{} && stop == end && number >= 0, "unknown device '", text,
            "'; devices are: cpu gpu gpu:NUMBER");
  }
  require(named, "unknown device '", text, "'; devices are: cpu gpu gpu:NUMBER");
  require<Unsupported>(build::cuda, "device '", text, "' was asked for, but this build has no CUDA");
  const int count = num_gpus();
  require<Unsupported>(number < count, "device '", text, "' was asked for, but this machine has ", count,
                       " usable GPUs");
  return Device::gpu(number);
}

DeviceFacts facts(Device device) {
  if (device.on_host()) {
    DeviceFacts facts;
    facts.name = cpu_name();
    facts.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    facts.cache_bytes = last_cache_bytes();
    facts.num_units = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    std::ifstream clock("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    if (int khz = 0; clock >> khz) facts.clock_mhz = khz / 1000;
    return facts;
  }
  if constexpr (build::cuda)
    return cuda::facts(device.number());
  else
    throw Unsupported("facts: a GPU was asked for, but this build has no CUDA");
}

}  // namespace millrace
