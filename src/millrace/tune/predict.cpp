// The traffic model and the estimates of the papers, in a line or two each.
#include "millrace/tune/predict.hpp"

#include <cstdio>
#include <iterator>

namespace millrace {
namespace {

std::string printed(const char* format, double value) {  // not fmt: this file is then compiled in a third of the time
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string human_bytes(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return unit == 0 ? printed("%.0f B", bytes) : printed("%.3g ", bytes) + units[unit];
}

}  // namespace

Prediction predict(const Traffic& traffic, const Bandwidth& bandwidth) {
  require(bandwidth.read > 0, "predict: the read bandwidth is ", bandwidth.read, " bytes/s; it must be positive");
  Prediction prediction;
  prediction.bytes = traffic.total();
  prediction.seconds = bandwidth.launch_seconds + prediction.bytes / bandwidth.read;
  prediction.why = human_bytes(traffic.matrix) + " of matrix and " + human_bytes(traffic.vectors) + " of vectors" +
                   printed(" at %.1f GB/s", bandwidth.read / 1e9) +
                   printed(", after %.1f us to start", bandwidth.launch_seconds * 1e6);
  return prediction;
}

Prediction predict(const Footprint& footprint, Shape shape, int scalar_bytes, const Bandwidth& bandwidth,
                   const PredictOptions& options) {
  require(options.num_vectors >= 1, "predict: ", options.num_vectors, " vectors were asked for; at least 1");
  require(!options.alpha || (*options.alpha >= 0 && *options.alpha <= 1), "predict: alpha is ",
          options.alpha.value_or(0), "; it goes from 0 to 1");
  const double x_entries =
      options.alpha ? *options.alpha * static_cast<double>(footprint.num_entries) : static_cast<double>(shape.cols);
  const double y_entries = static_cast<double>(shape.rows) * (options.reads_y ? 2 : 1);
  Traffic traffic;
  traffic.matrix = static_cast<double>(footprint.moved_bytes);
  traffic.vectors = scalar_bytes * options.num_vectors * (x_entries + y_entries);
  return predict(traffic, bandwidth);
}

double code_balance(double alpha, double row_length, int value_bytes, int index_bytes) {
  return (value_bytes + index_bytes + alpha * value_bytes + 2 * value_bytes / row_length) / 2;
}

double HostVectors::kernel_seconds(double num_rows, double row_length, double alpha) const {
  return code_balance(alpha, row_length) * 2 * row_length * num_rows / gpu_bandwidth;
}

double HostVectors::transfer_seconds(double num_rows) const { return 16 * num_rows / bus_bandwidth; }

// The row length where kernel_seconds = transfers * transfer_seconds: row_length (alpha + 3/2) + 2 = 2 transfers ratio.
double HostVectors::row_length_where_kernel_takes(double transfers, double alpha) const {
  return (2 * transfers * gpu_bandwidth / bus_bandwidth - 2) / (alpha + 1.5);
}
double HostVectors::row_length_where_kernel_takes(double transfers) const {
  return (2 * transfers * gpu_bandwidth / bus_bandwidth - 3) / 1.5;
}

double flops_with_transfers(double kernel_flops, double row_length, double bus_bandwidth, int value_bytes) {
  const double flops_per_row = 2 * row_length;
  return flops_per_row / (flops_per_row / kernel_flops + 2 * value_bytes / bus_bandwidth);
}

double rgcsr_peak_flops(double bandwidth, int value_bytes, bool x_in_cache) {
  const int index_bytes = 4;
  return 2 * bandwidth / (value_bytes + index_bytes + (x_in_cache ? 0 : value_bytes));
}

}  // namespace millrace
