// Functions of libraries that a program may or may not have loaded, such as OpenMP and the BLAS of a direct solver.
#pragma once

#include <dlfcn.h>

namespace millrace {

/// F is a pointer to a function; null where no library of this process has one of that name.
template <class F>
F loaded_function(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace millrace
