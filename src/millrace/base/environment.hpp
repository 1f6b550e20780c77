// Variables of the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace millrace {

/// Empty where the variable is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace millrace
