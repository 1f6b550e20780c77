// What can be made again is kept on disk under its key: all it was made from. A file is written under another name and
// renamed, so nobody sees half of it; one that is broken, too large, of another user or writable by others counts as
// none; a folder that cannot be written costs only the cache. Folders that are made are for their owner alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace millrace {

/// $MILLRACE_CACHE, else $XDG_CACHE_HOME/millrace (an absolute path, as its convention has it), else ~/.cache/millrace.
/// Empty: nothing is kept, for none of them is set, or the first is set to nothing.
std::filesystem::path cache_folder();

/// The file of a key: `kind` and a hash. Files hold their whole key, so equal hashes do no harm.
std::filesystem::path cache_path(std::string_view kind, std::string_view key);

/// What write_cached has kept under the key.
std::optional<std::string> read_cached(std::string_view kind, std::string_view key);
/// Was it possible?
bool write_cached(std::string_view kind, std::string_view key, std::string_view content);

}  // namespace millrace
