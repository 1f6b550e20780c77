// How the exchange of a halo and the product go together.
#pragma once

#include <string>
#include <string_view>

namespace millrace {

/// How the exchange and the product follow each other.
enum class Mode {
  vector,   // the whole halo first, then one undivided product
  overlap,  // the halo travels, as far as MPI does so by itself, while the local part is multiplied
  task,     // a thread drives MPI while the others multiply the local part
  choose,   // whichever is fastest when tried, on all ranks the same
};

/// "vector", "overlap", "task" or "auto"; an Error lists them.
Mode mode_of(std::string_view text);
std::string_view to_text(Mode mode);

}  // namespace millrace
