// Memory of this process as the system counts it: pages that are in use, without those of the program's own files where
// the system tells them apart (Linux).
#pragma once

namespace millrace {

/// Bytes now; 0 where the system does not say.
double resident_bytes();

/// The most since the process began, or since forget_peak() was last called where the system can forget (Linux).
double peak_resident_bytes();
void forget_peak();

/// Gives back to the system what malloc keeps of freed memory, where it can (glibc).
void release_free_memory();

}  // namespace millrace
