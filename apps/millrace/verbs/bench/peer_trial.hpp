// Peers are tried in a process of their own first: a library that breaks there, by a signal or by an error that leaves
// a GPU unusable, ends that process and not the benchmark.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace millrace::command {

/// The hidden word that makes the command try peers: millrace try-peers DEVICE PRECISION NUM_VECTORS NAME...
inline constexpr const char* peer_trial_word = "try-peers";

/// Sets every peer up on a small matrix and runs it once, but for those named at the end. Says on standard output what
/// it begins, what it ended, and what broke.
int try_peers(int argc, char** argv);

/// Runs `program` with those words, again and again without what broke, until nothing does: names and why.
std::map<std::string, std::string> find_broken_peers(const std::string& program, std::vector<std::string> words);

/// Says that this program knows peer_trial_word: main() does. Tests call benchmarks too, and their program, started
/// with that word, would run itself for ever.
void allow_peer_trials();

/// Of this command, for a benchmark of that kind; nothing is tried unless trials are allowed.
std::map<std::string, std::string> broken_peers(const std::string& device, const std::string& precision,
                                                int num_vectors);

}  // namespace millrace::command
