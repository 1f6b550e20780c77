// Chooses the reader by the end of the name.
#include "millrace/dist/read.hpp"

#include "millrace/dist/read_binary.hpp"
#include "millrace/dist/read_errors.hpp"
#include "millrace/dist/read_market.hpp"
#include "millrace/io/file_kind.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace millrace {
namespace {

// What the reader has freed goes back to the system, for other ranks of this machine and for what is made of the rows.
void give_memory_back() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace

AnyRows read_rows(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options,
                  std::int64_t multiple) {
  using Complex = std::complex<double>;
  if (of_file(comm, [&] { return file_kind(path); }) == FileKind::binary) {
    if (read_binary_header(comm, path).is_complex()) return read_binary_rows<Complex>(comm, path, options, multiple);
    return read_binary_rows<double>(comm, path, options, multiple);
  }
  AnyRows rows;
  {
    MarketFile file(comm, path, options);
    if (file.header().field == MmField::complex)
      rows = file.read_rows<Complex>(multiple);
    else
      rows = file.read_rows<double>(multiple);
  }
  give_memory_back();
  return rows;
}

}  // namespace millrace
