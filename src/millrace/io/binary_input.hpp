// An .mrx file that is open for reading. Inside the library.
#pragma once

#include <algorithm>
#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/io/binary_layout.hpp"
#include "millrace/io/checksum.hpp"
#include "millrace/io/chunks.hpp"
#include "millrace/io/placed_file.hpp"

namespace millrace {

inline constexpr const char* mrx_section_names[mrx_num_sections] = {"row offsets", "columns", "values"};

/// The file with its head checked. Reading is safe from several threads.
class MrxInput {
 public:
  explicit MrxInput(const std::filesystem::path& path);

  const std::string& name() const { return file_.name(); }
  BinaryHeader facts() const;
  /// Between the sections there is nothing but zeros.
  void check_gaps() const;
  void check_memory(std::int64_t max_memory) const;
  /// An IoError: the file is as it was written, but what was written is no matrix.
  [[noreturn]] void refuse_matrix(std::string_view why) const;

  /// f(S{}) for the scalar S of the values, which can become T without loss; an IoError for another one.
  template <class T, class F>
  auto visit_scalar(F&& f) const;

  std::int64_t num_chunks(int section) const;
  /// Reads one chunk of a section, where there is room for checksum_chunk_bytes, and sums it up.
  std::uint64_t read_chunk(int section, std::int64_t chunk, char* to) const;
  /// Do the sums of all its chunks make the checksum of the section?
  void check_sums(int section, const std::vector<std::uint64_t>& sums) const;

  /// A whole section straight into an array: every thread reads a chunk and sums it up while it is in its cache.
  template <class E>
  Array<E> read_section(int section, int num_threads, const IoProgress& progress) const {
    Array<E> array(head.sections[section].bytes / std::int64_t{sizeof(E)});
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(num_chunks(section)));
    for_each_chunk(num_threads, std::ssize(sums), progress, [&](std::int64_t k) {
      char* to = reinterpret_cast<char*>(array.data()) + k * static_cast<std::int64_t>(checksum_chunk_bytes);
      sums[static_cast<std::size_t>(k)] = read_chunk(section, k, to);
    });
    check_sums(section, sums);
    return array;
  }
  /// Elements first .. first + count of a section.
  template <class E>
  void read_elements(int section, std::int64_t first, std::int64_t count, E* to) const {
    constexpr auto size = static_cast<std::int64_t>(sizeof(E));
    file_.read(to, count * size, head.sections[section].offset + first * size);
  }

  MrxHead head;

 private:
  PlacedFile file_;
};

template <class T, class F>
auto MrxInput::visit_scalar(F&& f) const {
  using Result = decltype(f(T{}));
  const auto as = [&]<class S>(S) -> Result {
    if constexpr ((is_complex<T> || !is_complex<S>)&&sizeof(RealOf<T>) >= sizeof(RealOf<S>))
      return f(S{});
    else
      throw IoError(join(name(), ": the values are ", scalar_name<S>(), "; reading them as ", scalar_name<T>(),
                         " would lose something"));
  };
  switch (facts().scalar) {
    case BinaryScalar::real_float:
      return as(float{});
    case BinaryScalar::real_double:
      return as(double{});
    case BinaryScalar::complex_float:
      return as(std::complex<float>{});
    default:
      return as(std::complex<double>{});
  }
}

}  // namespace millrace
