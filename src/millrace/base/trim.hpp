// Memory that was freed goes back to the system: MPI may tell malloc to keep it, and after many small lists a rank
// would hold them beside its matrix for ever.
#pragma once

#include <malloc.h>

namespace millrace {

inline void give_freed_memory_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace millrace
