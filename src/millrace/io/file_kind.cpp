// Known ends of names.
#include "millrace/io/file_kind.hpp"

#include <string>

#include "millrace/base/error.hpp"

namespace millrace {

FileKind file_kind(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  for (const char* end : {".mtx", ".mtx.gz", ".mtx.xz"})
    if (name.ends_with(end)) return FileKind::matrix_market;
  require<IoError>(name.ends_with(".mrx"), path.string(),
                   ": the name does not tell what kind of file this is; known ends are .mtx .mtx.gz .mtx.xz .mrx");
  return FileKind::binary;
}

}  // namespace millrace
