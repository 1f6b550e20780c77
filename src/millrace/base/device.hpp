// Where memory lives: the host, or a GPU by number. A small value with no state behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "millrace/base/build.hpp"

namespace millrace {

/// Where memory lives and work runs: the host, or one GPU. A small value.
class Device {
 public:
  constexpr Device() = default;
  static constexpr Device host() { return {}; }
  static constexpr Device gpu(int number = 0) {
    Device device;
    device.number_ = number;
    return device;
  }

  constexpr bool on_host() const { return number_ < 0; }
  constexpr int number() const { return number_; }  // of the GPU; -1 on the host
  friend constexpr bool operator==(Device, Device) = default;

 private:
  int number_ = -1;
};

/// "cpu", "gpu:0".
std::string to_string(Device device);

/// From "cpu", "host", "gpu", "gpu:1", "cuda:0"; throws unless that device is here.
Device parse_device(std::string_view text);

/// GPUs this build can use; 0 without CUDA or without a driver.
int num_gpus();

/// What is known of a device.
struct DeviceFacts {
  std::string name;               // of the processor or GPU
  std::int64_t memory_bytes = 0;  // installed there
  std::int64_t cache_bytes = 0;   // the last level that all of it shares
  int num_units = 0;              // cores, or multiprocessors
  std::string driver;             // CUDA driver and runtime, empty on the host
  int clock_mhz = 0;              // highest clock, 0 where it cannot be read
  int memory_clock_mhz = 0;
};
DeviceFacts facts(Device device);

}  // namespace millrace
