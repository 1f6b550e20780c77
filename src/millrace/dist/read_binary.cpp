// Each rank sums up an even share of the chunks of every section, then reads its own rows.
#include "millrace/dist/read_binary.hpp"

#include <complex>
#include <memory>
#include <utility>

#include "millrace/base/to_size.hpp"
#include "millrace/dist/partition.hpp"
#include "millrace/dist/read_errors.hpp"
#include "millrace/io/binary_rows.hpp"

namespace millrace {
namespace {

// Sums of all chunks of a section, in order.
std::vector<std::uint64_t> chunk_sums(const Comm& comm, const MrxInput& file, int section, int num_threads,
                                      const IoProgress& progress) {
  const std::vector<std::uint64_t> mine = of_file(comm, [&] {
    const auto [first, last] = even_part(file.num_chunks(section), comm.rank(), comm.size());
    std::vector<std::uint64_t> sums(to_size(last - first));
    for_each_chunk(num_threads, last - first, progress, [&, begin = first](std::int64_t k) {
      const std::unique_ptr<char[]> bytes(new char[checksum_chunk_bytes]);
      sums[to_size(k)] = file.read_chunk(section, begin + k, bytes.get());
    });
    return sums;
  });
  return comm.gather(std::span<const std::uint64_t>(mine));
}

}  // namespace

BinaryHeader read_binary_header(const Comm& comm, const std::filesystem::path& path) {
  return of_file(comm, [&] { return read_binary_header(path); });
}

template <class T>
GlobalRows<T> read_binary_rows(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options,
                               std::int64_t multiple) {
  const std::function<void(double)> report = comm.rank() == 0 ? options.progress : nullptr;
  const IoProgress progress{report};
  const int threads = threads_or_default(options.num_threads);
  const std::unique_ptr<MrxInput> file = of_file(comm, [&] {
    auto opened = std::make_unique<MrxInput>(path);
    opened->visit_scalar<T>([](auto) { return 0; });
    opened->check_gaps();
    opened->check_memory(options.max_memory);
    return opened;
  });
  for (int s = 0; s < mrx_num_sections; ++s) {
    const std::vector<std::uint64_t> sums =
        chunk_sums(comm, *file, s, threads, progress.part(0.15 * s, 0.15 * (s + 1)));
    of_file(comm, [&] { return file->check_sums(s, sums), 0; });
  }
  const Partition parts = by_rows(file->head.rows, comm.size(), multiple);
  const std::int64_t first = parts.begin(comm.rank()), last = parts.end(comm.rank());
  Array<Offset> offsets = of_file(comm, [&] { return read_row_offsets(*file, first, last); });
  GlobalRows<T> rows = of_file(
      comm, [&] { return read_binary_rows<T>(*file, first, std::move(offsets), threads, progress.part(0.45, 1)); });
  return options.keep_explicit_zeros ? std::move(rows) : drop_zeros(std::move(rows));
}

#define MILLRACE_INSTANTIATE(T) \
  template GlobalRows<T> read_binary_rows(const Comm&, const std::filesystem::path&, const ReadOptions&, std::int64_t)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
