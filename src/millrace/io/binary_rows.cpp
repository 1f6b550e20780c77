// Offsets, columns and values by their place in the file; columns become 64-bit numbers on the way.
#include "millrace/io/binary_rows.hpp"

#include <limits>
#include <utility>

#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

constexpr std::int64_t piece = std::int64_t{1} << 18;  // elements that a thread reads at a time

Array<Offset> read_offsets(const MrxInput& file, std::int64_t first, std::int64_t count) {
  Array<Offset> offsets(count);
  if (file.head.offset_bytes == 8) {
    file.read_elements(0, first, count, offsets.data());
  } else {
    std::vector<std::int32_t> narrow(to_size(std::min(count, piece)));
    for (std::int64_t done = 0; done < count; done += piece) {
      const std::int64_t some = std::min(piece, count - done);
      file.read_elements(0, first + done, some, narrow.data());
      std::copy_n(narrow.data(), some, offsets.data() + done);
    }
  }
  return offsets;
}

// Elements of type S in the file become those of type E.
template <class S, class E>
void read_converted(const MrxInput& file, int section, Offset first, Array<E>& to, int num_threads,
                    const IoProgress& progress) {
  for_each_chunk(num_threads, (to.size() + piece - 1) / piece, progress, [&](std::int64_t k) {
    const std::int64_t begin = k * piece, count = std::min(piece, to.size() - begin);
    if constexpr (std::is_same_v<S, E>) {
      file.read_elements(section, first + begin, count, to.data() + begin);
    } else {
      std::vector<S> stored(to_size(count));
      file.read_elements(section, first + begin, count, stored.data());
      for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (is_complex<E> && !is_complex<S>)
          to.data()[begin + i] = E(static_cast<RealOf<E>>(stored[to_size(i)]));
        else
          to.data()[begin + i] = static_cast<E>(stored[to_size(i)]);
      }
    }
  });
}

template <class T>
void check_columns(const MrxInput& file, const GlobalRows<T>& rows) {
  for (std::int64_t r = 0; r < rows.num_rows(); ++r)
    for (Offset s = rows.row_ptr.data()[r]; s < rows.row_ptr.data()[r + 1]; ++s) {
      const std::int64_t col = rows.cols.data()[s];
      if (col >= 0 && col < rows.num_cols) continue;
      file.refuse_matrix(join("csr: row ", rows.first + r, " has column ", col, "; ",
                              rows.num_cols == 0 ? std::string("the matrix has no columns")
                                                 : join("columns run from 0 to ", rows.num_cols - 1)));
    }
}

}  // namespace

Array<Offset> read_row_offsets(const MrxInput& file, std::int64_t first, std::int64_t last) {
  const Offset begin = read_offsets(file, 0, 1).data()[0], end = read_offsets(file, file.head.rows, 1).data()[0];
  if (begin != 0 || end != file.head.entries)
    file.refuse_matrix(join("csr: row offsets run from ", begin, " to ", end,
                            "; they must run from 0 to the number of entries, ", file.head.entries));
  Array<Offset> offsets = read_offsets(file, first, last - first + 1);
  constexpr Offset longest = std::numeric_limits<Index>::max();
  for (std::int64_t r = first; r < last; ++r) {
    const Offset from = offsets.data()[r - first], to = offsets.data()[r - first + 1];
    if (from > to) file.refuse_matrix(join("csr: the row offsets fall from ", from, " to ", to, " at row ", r));
    if (to - from > longest)
      file.refuse_matrix(join("csr: row ", r, " has ", to - from, " entries; up to ", longest, " are accepted"));
  }
  return offsets;
}

template <class T>
GlobalRows<T> read_binary_rows(const MrxInput& file, std::int64_t first, Array<Offset> offsets, int num_threads,
                               const IoProgress& progress) {
  const Offset begin = offsets.data()[0], count = offsets.data()[offsets.size() - 1] - begin;
  for (Offset& offset : offsets.span()) offset -= begin;
  GlobalRows<T> rows{first, file.head.cols, std::move(offsets), Array<std::int64_t>(count), Array<T>(count)};
  read_converted<Index>(file, 1, begin, rows.cols, num_threads, progress.part(0, 0.4));
  file.visit_scalar<T>([&]<class S>(S) {
    read_converted<S>(file, 2, begin, rows.vals, num_threads, progress.part(0.4, 1));
    return 0;
  });
  check_columns(file, rows);
  return rows;
}

#define MILLRACE_INSTANTIATE(T) \
  template GlobalRows<T> read_binary_rows(const MrxInput&, std::int64_t, Array<Offset>, int, const IoProgress&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
