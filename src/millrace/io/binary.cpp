// .mrx files in and out: the sections go straight between the file and the arrays.
#include "millrace/io/binary.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <complex>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/io/binary_layout.hpp"
#include "millrace/io/checksum.hpp"
#include "millrace/io/chunks.hpp"
#include "millrace/io/drop_zeros.hpp"
#include "millrace/io/memory_limit.hpp"
#include "millrace/io/output_file.hpp"

namespace millrace {
namespace {

template <class T>
constexpr BinaryScalar scalar_of() {
  if constexpr (is_complex<T>)
    return sizeof(RealOf<T>) == 4 ? BinaryScalar::complex_float : BinaryScalar::complex_double;
  else
    return sizeof(T) == 4 ? BinaryScalar::real_float : BinaryScalar::real_double;
}

// An .mrx file that is open for reading, with its head checked.
class MrxInput {
 public:
  explicit MrxInput(const std::filesystem::path& path) : name_(path.string()) {
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    require<IoError>(file_ >= 0, name_, ": cannot be opened: ", std::strerror(errno));
    try {
      struct stat facts {};
      require<IoError>(fstat(file_, &facts) == 0 && S_ISREG(facts.st_mode), name_, ": is not a regular file");
      const std::int64_t bytes = std::min<std::int64_t>(facts.st_size, sizeof head);
      read_bytes(&head, static_cast<std::size_t>(bytes), 0);
      check_mrx_head(head, facts.st_size, name_);
    } catch (...) {
      close(file_);
      throw;
    }
  }
  MrxInput(const MrxInput&) = delete;
  MrxInput& operator=(const MrxInput&) = delete;
  ~MrxInput() { close(file_); }

  BinaryHeader facts() const {
    return {static_cast<BinaryScalar>(head.scalar), static_cast<int>(head.offset_bytes), head.rows, head.cols,
            head.entries};
  }

  // Straight into the array: every thread reads a chunk and sums it up while it is in its cache.
  template <class E>
  Array<E> read_section(int section, const char* what, int num_threads, const IoProgress& progress) const {
    const MrxSection& place = head.sections[section];
    Array<E> array(place.bytes / std::int64_t{sizeof(E)});
    const auto bytes = static_cast<std::size_t>(place.bytes);
    std::vector<std::uint64_t> sums((bytes + checksum_chunk_bytes - 1) / checksum_chunk_bytes);  // [num_chunks]
    for_each_chunk(num_threads, std::ssize(sums), progress, [&](std::int64_t k) {
      const std::size_t begin = static_cast<std::size_t>(k) * checksum_chunk_bytes;
      const std::size_t count = std::min(checksum_chunk_bytes, bytes - begin);
      char* to = reinterpret_cast<char*>(array.data()) + begin;
      read_bytes(to, count, place.offset + static_cast<std::int64_t>(begin));
      sums[static_cast<std::size_t>(k)] = checksum_of_chunk(to, count);
    });
    require<IoError>(combine_checksums(sums.data(), std::ssize(sums)) == place.checksum, name_, ": the ", what,
                     " are damaged (their checksum differs)");
    return array;
  }

  // Between the sections there is nothing but zeros.
  void check_gaps() const {
    for (int s = 0; s < mrx_num_sections; ++s) {
      const std::int64_t begin =
          s == 0 ? std::int64_t{sizeof head} : head.sections[s - 1].offset + head.sections[s - 1].bytes;
      char gap[mrx_alignment];
      const auto bytes = static_cast<std::size_t>(head.sections[s].offset - begin);
      read_bytes(gap, bytes, begin);
      require<IoError>(std::all_of(gap, gap + bytes, [](char c) { return c == 0; }), name_,
                       ": the file is damaged (bytes between its sections are not zero)");
    }
  }

  MrxHead head;

 private:
  void read_bytes(void* to, std::size_t bytes, std::int64_t offset) const {
    auto* p = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t done = pread(file_, p, bytes, offset);
      if (done < 0 && errno == EINTR) continue;
      require<IoError>(done >= 0, name_, ": cannot be read: ", std::strerror(errno));
      require<IoError>(done > 0, name_, ": the file became shorter while it was read");
      p += done;
      offset += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }

  std::string name_;
  int file_ = -1;
};

template <class T>
Csr<T> read_stored(const MrxInput& file, const std::string& name, const ReadOptions& options) {
  const IoProgress progress{options.progress};
  const int threads = threads_or_default(options.num_threads);
  const MrxHead& head = file.head;
  file.check_gaps();
  require_memory(name, join(head.rows, " rows and ", head.cols, " columns"), 16.0 * static_cast<double>(head.cols),
                 static_cast<std::int64_t>(head.file_bytes), options.max_memory);
  const auto rows = static_cast<Index>(head.rows), cols = static_cast<Index>(head.cols);
  const auto finish = [&]<class RowOffset>(Array<RowOffset> row_ptr) {
    auto columns = file.read_section<Index>(1, "columns", threads, progress.part(0.1, 0.4));
    auto values = file.read_section<T>(2, "values", threads, progress.part(0.4, 1));
    Csr<T> a;  // put together by hand, for offsets that are wrong must meet check_csr first
    a.num_rows = rows;
    a.num_cols = cols;
    a.row_ptr = std::move(row_ptr);
    a.cols = std::move(columns);
    a.vals = std::move(values);
    try {
      check_csr(a);
    } catch (const Error& error) {
      throw IoError(join(name, ": the checksums are right, the matrix is not: ", error.what()));
    }
    return options.keep_explicit_zeros ? std::move(a) : drop_zeros(a);
  };
  const IoProgress begin = progress.part(0, 0.1);
  if (head.offset_bytes == 4) return finish(file.read_section<std::int32_t>(0, "row offsets", threads, begin));
  return finish(file.read_section<std::int64_t>(0, "row offsets", threads, begin));
}

// The stored scalar S as T, where nothing can be lost.
template <class T, class S>
Csr<T> read_as(const MrxInput& file, const std::string& name, const ReadOptions& options) {
  if constexpr (std::is_same_v<T, S>) {
    return read_stored<S>(file, name, options);
  } else if constexpr ((is_complex<T> || !is_complex<S>)&&sizeof(RealOf<T>) >= sizeof(RealOf<S>)) {
    return convert_values<T>(read_stored<S>(file, name, options));
  } else {
    throw IoError(join(name, ": the values are ", scalar_name<S>(), "; reading them as ", scalar_name<T>(),
                       " would lose something"));
  }
}

}  // namespace

BinaryHeader read_binary_header(const std::filesystem::path& path) { return MrxInput(path).facts(); }

template <class T>
Csr<T> read_binary(const std::filesystem::path& path, const ReadOptions& options) {
  const MrxInput file(path);
  const std::string name = path.string();
  switch (file.facts().scalar) {
    case BinaryScalar::real_float:
      return read_as<T, float>(file, name, options);
    case BinaryScalar::real_double:
      return read_as<T, double>(file, name, options);
    case BinaryScalar::complex_float:
      return read_as<T, std::complex<float>>(file, name, options);
    default:
      return read_as<T, std::complex<double>>(file, name, options);
  }
}

template <class T>
void write_binary(const std::filesystem::path& path, const Csr<T>& a, const std::function<void(double)>& progress) {
  require(a.device().on_host(), "write_binary: the matrix lives on ", to_string(a.device()),
          "; copy it with to(Device::host())");
  std::visit(
      [&]<class RowOffset>(const Array<RowOffset>& row_ptr) {
        require(row_ptr.size() == std::int64_t{a.num_rows} + 1 && a.cols.size() == a.vals.size(),
                "write_binary: ", a.num_rows, " rows have ", row_ptr.size(), " offsets, ", a.cols.size(),
                " columns and ", a.vals.size(), " values; they do not belong together");
        const std::span<const std::byte> sections[mrx_num_sections] = {
            std::as_bytes(row_ptr.span()), std::as_bytes(a.cols.span()), std::as_bytes(a.vals.span())};
        MrxHead head = make_mrx_head({scalar_of<T>(), sizeof(RowOffset), a.num_rows, a.num_cols, a.num_entries()});
        for (int s = 0; s < mrx_num_sections; ++s)
          head.sections[s].checksum = checksum(sections[s].data(), sections[s].size(), default_num_threads());
        head.checksum = checksum_of_chunk(&head, offsetof(MrxHead, checksum));
        OutputFile file(path);
        file.write(&head, sizeof head);
        std::int64_t at = sizeof head;
        const IoProgress bar{progress};
        for (int s = 0; s < mrx_num_sections; ++s) {
          file.write(std::string(static_cast<std::size_t>(head.sections[s].offset - at), '\0'));
          constexpr std::size_t piece = std::size_t{64} << 20;
          for (std::size_t done = 0; done < sections[s].size(); done += piece) {
            file.write(sections[s].data() + done, std::min(piece, sections[s].size() - done));
            bar(static_cast<double>(head.sections[s].offset + static_cast<std::int64_t>(done)) /
                static_cast<double>(head.file_bytes));
          }
          at = head.sections[s].offset + head.sections[s].bytes;
        }
        file.commit();
        bar(1);
      },
      a.row_ptr);
}

template Csr<float> read_binary(const std::filesystem::path&, const ReadOptions&);
template Csr<double> read_binary(const std::filesystem::path&, const ReadOptions&);
template Csr<std::complex<float>> read_binary(const std::filesystem::path&, const ReadOptions&);
template Csr<std::complex<double>> read_binary(const std::filesystem::path&, const ReadOptions&);
template void write_binary(const std::filesystem::path&, const Csr<float>&, const std::function<void(double)>&);
template void write_binary(const std::filesystem::path&, const Csr<double>&, const std::function<void(double)>&);
template void write_binary(const std::filesystem::path&, const Csr<std::complex<float>>&,
                           const std::function<void(double)>&);
template void write_binary(const std::filesystem::path&, const Csr<std::complex<double>>&,
                           const std::function<void(double)>&);

}  // namespace millrace
