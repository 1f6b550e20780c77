// The table [linear] of a case file.
#pragma once

#include "millrace/hdg/newton.hpp"
#include "millrace/io/case_file.hpp"

namespace millrace::hdg {

/// How trace systems are solved, and the tightest tolerance of GMRES, which [solver] may say in its place. What the
/// file does not say stays as it is.
void read_linear(const CaseTable& file, int dim, NewtonOptions& options);

}  // namespace millrace::hdg
