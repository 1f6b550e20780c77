// What this build of the command contains beyond the library; the build system says it once.
#pragma once

namespace millrace::bench::features {

inline constexpr bool eigen = MILLRACE_COMMAND_EIGEN != 0;
inline constexpr bool graphblas = MILLRACE_COMMAND_GRAPHBLAS != 0;
inline constexpr bool petsc = MILLRACE_COMMAND_PETSC != 0;
inline constexpr bool cusparse = MILLRACE_COMMAND_CUSPARSE != 0;
inline constexpr bool cublas = MILLRACE_COMMAND_CUBLAS != 0;
inline constexpr bool openmp = MILLRACE_COMMAND_OPENMP != 0;

}  // namespace millrace::bench::features
