// The traffic model: a product takes as long as memory needs to deliver what it must read and write.
// Also the estimates of the papers on pJDS (Kreutzer et al. 2012) and row-grouped CSR (Oberhuber et al. 2010).
#pragma once

#include <optional>
#include <string>

#include "millrace/sparse/formats.hpp"
#include "millrace/tune/bandwidth.hpp"

namespace millrace {

/// What a model says of one product.
struct Prediction {
  double seconds = 0;
  double bytes = 0;
  std::string why;  // one line
};

/// Of which product.
struct PredictOptions {
  int num_vectors = 1;
  bool reads_y = false;  // beta is not 0
  /// The share of the accesses to x that go to memory: 1 without any cache. Unset: every entry of x once.
  std::optional<double> alpha = std::nullopt;
};

/// launch + bytes / read bandwidth; the bytes are the format's moved_bytes, x and y.
Prediction predict(const Footprint& footprint, Shape shape, int scalar_bytes, const Bandwidth& bandwidth,
                   const PredictOptions& options = {});
/// The same for bytes that an operator has counted itself.
Prediction predict(const Traffic& traffic, const Bandwidth& bandwidth);

/// The same of any format.
template <class T>
Prediction predict(const AnyFormat<T>& format, const Bandwidth& bandwidth, const PredictOptions& options = {}) {
  return std::visit(
      [&](const auto& a) { return predict(a.footprint(), a.shape(), static_cast<int>(sizeof(T)), bandwidth, options); },
      format);
}

/// Bytes per flop of a row format whose rows hold `row_length` entries: (value + index + alpha value + 2 value /
/// row_length) / 2, which is 6 + 4 alpha + 8 / row_length in double (equation (1) on pJDS). alpha goes from
/// 1 / row_length, x is read once, to 1, x is never found in a cache.
double code_balance(double alpha, double row_length, int value_bytes = 8, int index_bytes = 4);

/// A GPU whose vectors live on the host, in double (equations (2) to (4) on pJDS).
struct HostVectors {
  double gpu_bandwidth = 0;  // bytes/s of its memory
  double bus_bandwidth = 0;  // bytes/s between host and GPU

  double kernel_seconds(double num_rows, double row_length, double alpha) const;
  double transfer_seconds(double num_rows) const;  // x there and y back
  /// Rows as short as this spend half of the time, or more, on the bus (3).
  double row_length_half_lost(double alpha) const { return row_length_where_kernel_takes(1, alpha); }
  /// Rows as long as this spend less than a tenth of the kernel's time on the bus (4).
  double row_length_tenth_lost(double alpha) const { return row_length_where_kernel_takes(10, alpha); }
  /// The same with x read once: alpha is then 1 / row_length.
  double row_length_half_lost() const { return row_length_where_kernel_takes(1); }
  double row_length_tenth_lost() const { return row_length_where_kernel_takes(10); }

 private:
  double row_length_where_kernel_takes(double transfers, double alpha) const;
  double row_length_where_kernel_takes(double transfers) const;
};

/// Flops per second with transfers, of a kernel that makes `kernel_flops` per second without.
double flops_with_transfers(double kernel_flops, double row_length, double bus_bandwidth, int value_bytes = 8);

/// Flops per second of row-grouped CSR at best: two per entry, which moves its value, its column and, unless x stays in
/// the cache, an entry of x (Table 1 on row-grouped CSR).
double rgcsr_peak_flops(double bandwidth, int value_bytes, bool x_in_cache);

}  // namespace millrace
