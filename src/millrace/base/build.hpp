// What this build contains. The build system says it once, through these two definitions.
#pragma once

#ifndef MILLRACE_WITH_CUDA
#define MILLRACE_WITH_CUDA 0
#endif
#ifndef MILLRACE_WITH_MPI
#define MILLRACE_WITH_MPI 0
#endif

// A function that runs on the host and inside a CUDA kernel.
#ifdef __CUDACC__
#define MILLRACE_HD __host__ __device__
#else
#define MILLRACE_HD
#endif

namespace millrace::build {

inline constexpr char version[] = "0.1.0";  // CMakeLists.txt reads it from here
inline constexpr bool cuda = MILLRACE_WITH_CUDA != 0;
inline constexpr bool mpi = MILLRACE_WITH_MPI != 0;

}  // namespace millrace::build
