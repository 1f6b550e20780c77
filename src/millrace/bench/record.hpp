// The JSON record of a benchmark: schema "millrace.bench", version 2 (benchmarks/schema.json).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

#include "millrace/bench/point.hpp"
#include "millrace/io/matrix_file.hpp"

namespace millrace::bench {

/// 16 hexadecimal digits of the shape, pattern and values; the same for any number of threads.
std::string matrix_hash(const AnyCsr& a);
MatrixFacts matrix_facts(const std::string& argument, const AnyCsr& a);

/// Now, as records write it: 2026-01-31T12:00:00Z.
std::string utc_now();
/// How the record of a verb begins: its schema, when and by which command line it was made, the machine and the build.
nlohmann::ordered_json record_head(const std::string& schema, int version = 1);
nlohmann::ordered_json matrix_json(const MatrixFacts& matrix);
nlohmann::ordered_json machine_json();
nlohmann::ordered_json device_json(Device device);
nlohmann::ordered_json build_json();
nlohmann::ordered_json bandwidth_json(const Bandwidth& bandwidth);
/// In microseconds, as records have them.
nlohmann::ordered_json samples_json(const Samples& samples);

/// The record of a program of benchmarks/: version 1 of its schema, where it ran, and its points.
nlohmann::ordered_json points_record(const std::string& schema, Device device, const Bandwidth& bandwidth,
                                     nlohmann::ordered_json points);

/// Only points that were timed; a wrong result never becomes a record.
/// `other_cores`: that other processes took meanwhile, where it is known (other_load.hpp).
nlohmann::ordered_json bench_record(Device device, const Bandwidth& bandwidth, std::span<const Point> points,
                                    std::optional<double> other_cores = {});

/// To a file, which appears only when complete, or to standard output for "-".
void write_json(const std::string& path, const nlohmann::ordered_json& json);

}  // namespace millrace::bench
