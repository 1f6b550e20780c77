// A folder that rank 0 makes and all ranks see.
#pragma once

#include <memory>
#include <string_view>

#include "io/io_tools.hpp"
#include "millrace/base/comm.hpp"

namespace millrace::testing {

class SharedFolder {
 public:
  explicit SharedFolder(const Comm& comm) : comm_(comm) {
    if (comm.rank() == 0) own_ = std::make_unique<test::TempFolder>();
    path_ = comm.broadcast(own_ ? own_->path().string() : "");
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() { comm_.barrier(); }

  /// A file, when rank 0 has made it with f(path).
  template <class F>
  std::filesystem::path file(std::string_view name, F&& f) const {
    const std::filesystem::path path = path_ / name;
    comm_.barrier();  // nobody reads the one before it any more
    if (comm_.rank() == 0) f(path);
    comm_.barrier();
    return path;
  }
  /// The same with these bytes, packed if its name asks for it.
  std::filesystem::path text(std::string_view name, std::string_view bytes) const {
    return file(name, [&](const std::filesystem::path& path) {
      const Compression kind = compression_of(path);
      test::save(path, kind == Compression::none ? std::string(bytes) : pack(kind, bytes));
    });
  }

 private:
  Comm comm_;
  std::unique_ptr<test::TempFolder> own_{};  // on rank 0
  std::filesystem::path path_{};
};

}  // namespace millrace::testing
