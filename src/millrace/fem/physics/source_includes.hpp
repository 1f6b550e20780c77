// What the text of a physics includes. Only texts that are compiled with it may be: the kernel that is kept would not
// change with a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

struct SourceInclude {
  int line = 0;      // of the text, from 1
  std::string what;  // as it stands there: "my.h" with its quotes, <cmath>, a macro
};

/// All directives that read a file (include, include_next, import, embed), also where a branch of #if leaves them out.
std::vector<SourceInclude> includes_of(std::string_view text);

/// Throws for what is in quotes or angle brackets and not among the names, and for what is in neither.
void require_known_includes(std::string_view text, std::span<const std::string> names);

}  // namespace millrace
