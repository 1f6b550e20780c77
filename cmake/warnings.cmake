# Flags of Millrace's own targets; never passed on to users.
include(CheckCXXCompilerFlag)
add_library(millrace_flags INTERFACE)
set(cxx_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow=local)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND cxx_warnings -Wno-restrict)  # GCC 12 sees overlaps in string + string that are not there
endif()
target_compile_options(millrace_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${cxx_warnings}>")
# For sources with Eigen: GCC 12's own AVX-512 intrinsics begin with a vector that is undefined on purpose.
set(millrace_eigen_options "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
# With -O1 (dependencies.cmake) GCC sees an empty std::optional destroy what it never held.
set(cuda_host_warnings -Wall,-Wextra,-Wno-maybe-uninitialized)
# CMake 3.25 does not know C++20 with nvcc 13 and would ask for it wherever CXX_STANDARD is set.
target_compile_options(millrace_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX,CUDA>:-std=c++20>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${cuda_host_warnings};--extended-lambda;-lineinfo>")
if(MILLRACE_WERROR)
  target_compile_options(millrace_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
if(MILLRACE_WERROR OR MILLRACE_NO_SPILLS)
  target_compile_options(millrace_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-Werror,--warn-on-spills,--warn-on-local-memory-usage>")
endif()
if(MILLRACE_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=address,undefined)
endif()
# GCC tuned for some x86 CPUs leaves a product and a sum apart in some loops and fuses them in others; the promise of
# the same bits from every loop needs one rule.
check_cxx_compiler_flag(--param=avoid-fma-max-bits=0 millrace_has_avoid_fma)
if(millrace_has_avoid_fma AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(millrace_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:--param=avoid-fma-max-bits=0>")
endif()
# The CPU of this machine, but no SVE: some hosts name a core that has it and do not let it run.
option(MILLRACE_NATIVE "Compile for the CPU of this machine" ON)
if(MILLRACE_NATIVE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(millrace_architecture -march=native)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(millrace_architecture -march=armv8.2-a)
  endif()
  target_compile_options(millrace_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${millrace_architecture}>")
endif()
