// millrace devices: what this machine has to compute with, and how fast its memory is.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/tune/bandwidth.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "verb.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

std::vector<Device> all_devices() {
  std::vector<Device> devices{Device::host()};
  for (int number = 0; number < num_gpus(); ++number) devices.push_back(Device::gpu(number));
  return devices;
}

Bandwidth measure(Device device) {
  Progress progress("measuring the memory of " + to_string(device));
  Queue queue(device);
  return measure_bandwidth(queue);
}

int list_devices(bool as_json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  Table table({{"device", Table::Align::left},
               {"name", Table::Align::left},
               {"units"},
               {"memory"},
               {"cache"},
               {"read GB/s"},
               {"copy GB/s"},
               {"triad GB/s"},
               {"launch"}});
  for (const Device device : all_devices()) {
    const DeviceFacts f = facts(device);
    const Bandwidth b = measure(device);
    const auto rate = [](double bytes) { return fmt::format("{:.1f}", bytes * 1e-9); };
    table.add({to_string(device), f.name, std::to_string(f.num_units), bytes_text(static_cast<double>(f.memory_bytes)),
               bytes_text(static_cast<double>(f.cache_bytes)), rate(b.read), rate(b.copy), rate(b.triad),
               seconds_text(b.launch_seconds)});
    auto entry = device_json(device);
    entry["device"] = to_string(device);
    entry["bandwidth"] = bandwidth_json(b);
    list.push_back(std::move(entry));
  }
  if (as_json)
    write_json("-", {{"schema", "millrace.devices"}, {"version", 1}, {"devices", std::move(list)}});
  else
    fmt::print("{}", table.text(style_of_stdout()));
  return exit_ok;
}

}  // namespace

Verb add_devices(CLI::App& root) {
  CLI::App* app = root.add_subcommand("devices", "The CPU and the GPUs, with their measured bandwidths");
  auto as_json = std::make_shared<bool>(false);
  app->add_flag("--json", *as_json, "As JSON");
  add_examples(*app, {{"millrace devices", "what `--device` can name here, and how fast it is"}});
  return {app, [as_json] { return list_devices(*as_json); }};
}

}  // namespace millrace::command
