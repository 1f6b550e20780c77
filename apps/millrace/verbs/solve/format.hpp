// --format auto: a simple rule on the statistics of a matrix, said with its reason.
#pragma once

#include <string>

#include "millrace/base/device.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace::command {

struct FormatChoice {
  std::string format;  // as make_format takes it
  std::string reason;  // a clause
};

/// `single_kernel`: the solver can run a small system on a GPU in one kernel, which reads CSR.
FormatChoice choose_format(const MatrixStats& stats, Device device, bool single_kernel);

}  // namespace millrace::command
