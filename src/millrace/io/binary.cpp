// .mrx files in and out: the sections go straight between the file and the arrays.
#include "millrace/io/binary.hpp"

#include <algorithm>
#include <complex>
#include <span>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/io/binary_input.hpp"
#include "millrace/io/drop_zeros.hpp"
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

template <class T>
Csr<T> read_stored(const MrxInput& file, const ReadOptions& options) {
  const IoProgress progress{options.progress};
  const int threads = threads_or_default(options.num_threads);
  const MrxHead& head = file.head;
  file.check_gaps();
  file.check_memory(options.max_memory);
  const auto rows = static_cast<Index>(head.rows), cols = static_cast<Index>(head.cols);
  const auto finish = [&]<class RowOffset>(Array<RowOffset> row_ptr) {
    auto columns = file.read_section<Index>(1, threads, progress.part(0.1, 0.4));
    auto values = file.read_section<T>(2, threads, progress.part(0.4, 1));
    Csr<T> a;  // put together by hand, for offsets that are wrong must meet check_csr first
    a.num_rows = rows;
    a.num_cols = cols;
    a.row_ptr = std::move(row_ptr);
    a.cols = std::move(columns);
    a.vals = std::move(values);
    try {
      check_csr(a);
    } catch (const Error& error) {
      file.refuse_matrix(error.what());
    }
    return options.keep_explicit_zeros ? std::move(a) : drop_zeros(a);
  };
  const IoProgress begin = progress.part(0, 0.1);
  if (head.offset_bytes == 4) return finish(file.read_section<std::int32_t>(0, threads, begin));
  return finish(file.read_section<std::int64_t>(0, threads, begin));
}

}  // namespace

BinaryHeader read_binary_header(const std::filesystem::path& path) { return MrxInput(path).facts(); }

template <class T>
Csr<T> read_binary(const std::filesystem::path& path, const ReadOptions& options) {
  const MrxInput file(path);
  return file.visit_scalar<T>([&]<class S>(S) {
    if constexpr (std::is_same_v<T, S>)
      return read_stored<S>(file, options);
    else
      return convert_values<T>(read_stored<S>(file, options));
  });
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
