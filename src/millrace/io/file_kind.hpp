// Which reader a matrix file needs, by the end of its name. Inside the library.
#pragma once

#include <filesystem>

namespace millrace {

enum class FileKind { matrix_market, binary };

/// An IoError lists the known ends.
FileKind file_kind(const std::filesystem::path& path);

}  // namespace millrace
