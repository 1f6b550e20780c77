// The coarse matrix on a GPU where nodes have one unknown: sums of rows of P, which are A P, and sums of these, columns
// and values in one pass each.
#include <optional>

#include "millrace/precond/multigrid/matrix_view.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/sum_short_rows.cuh"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

struct SumCounters {
  unsigned long long used;
  unsigned num_listed;
};
void clear(DeviceSteps& steps, SumCounters* counters, bool keep_used) {
  steps.for_each(1, [=] __device__(Offset) {
    counters->num_listed = 0;
    if (!keep_used) counters->used = 0;
  });
}

/// By `Size` threads per row, which has up to `Most` columns, `Threads` in a block.
template <int Size, int Most, int Threads, class Outer, class Inner, class T>
void sum_rows(Queue& queue, const Outer& outer, const Inner& inner, const Index* list, Offset num,
              const SumOutput<T>& out) {
  if (num == 0) return;
  sum_rows<Size, Most, Threads>
      <<<num_blocks(num, Threads / Size), Threads, 0, queue.stream()>>>(outer, inner, list, num, out);
  check_launch("sum_rows", queue.stream());
}

/// By a thread per row, which has up to `Room` columns.
template <int Room, int Terms, int Staged, class Outer, class Inner, class T>
void sum_short_rows(Queue& queue, const Outer& outer, const Inner& inner, Offset num, const SumOutput<T>& out) {
  constexpr int threads = 64;
  if (num == 0) return;
  sum_short_rows<Room, Terms, threads, Staged>
      <<<num_blocks(num, threads), threads, 0, queue.stream()>>>(outer, inner, num, out);
  check_launch("sum_short_rows", queue.stream());
}

/// Rows of sums by kernels with ever larger tables.
template <class Outer, class Inner, class T>
class RowSums {
 public:
  RowSums(Queue& queue, const Outer& outer, const Inner& inner, Offset num_rows, const SumOutput<T>& out)
      : queue_(queue),
        outer_(outer),
        inner_(inner),
        out_(out),
        memory_(queue.scratch<SumCounters>(1)),
        list_(queue.scratch<Index>(num_rows)) {
    out_.used = &memory_.data()->used, out_.num_listed = &memory_.data()->num_listed;
  }

  /// launch(out) is the first try for all rows. Returns the entries that wanted room, also those that had none; -1:
  /// rows are too long for any table.
  template <class Launch>
  Offset run(const Launch& launch) {
    start(list_.data(), false);
    launch(out_);
    SumCounters found = look();
    if (found.num_listed > 0) {
      const Offset num_long = found.num_listed;
      const auto longer = queue_.scratch<Index>(num_long);
      start(longer.data(), true);
      sum_rows<16, 256, 64>(queue_, outer_, inner_, list_.data(), num_long, out_);
      found = look();
      if (found.num_listed > 0) {
        start(nullptr, true);
        sum_rows<32, 1536, 32>(queue_, outer_, inner_, longer.data(), Offset{found.num_listed}, out_);
        found = look();
      }
    }
    return found.num_listed == 0 ? static_cast<Offset>(found.used) : -1;
  }

 private:
  void start(Index* list, bool keep_used) {
    DeviceSteps steps(queue_);
    out_.list = list;
    clear(steps, memory_.data(), keep_used);
  }
  SumCounters look() { return DeviceSteps(queue_).read(memory_.data()); }

  Queue& queue_;
  const Outer& outer_;
  const Inner& inner_;
  SumOutput<T> out_;
  Scratch<SumCounters> memory_;
  Scratch<Index> list_;  // of rows for the second try
};

/// Rows that lie where they found room.
template <class T>
class PackedRows {
 public:
  PackedRows(Queue& queue, Offset num_rows) : queue_(queue), heads_(queue.scratch<RowHead>(num_rows)) {}

  /// False: rows are too long, or too many. `room`: what is tried first; what was needed.
  template <class Outer, class Inner, class Launch>
  bool sum(const Outer& outer, const Inner& inner, Offset& room, const Launch& launch) {
    for (;;) {
      room += room % 2;
      if (room > most_entries) return false;
      entries_.emplace(queue_.scratch<Entry<T>>(room));
      SumOutput<T> out{};
      out.capacity = room, out.heads = heads_.data(), out.entries = entries_->data();
      const Offset needed = RowSums<Outer, Inner, T>(queue_, outer, inner, heads_.size(), out).run(launch);
      if (needed < 0) return false;
      const bool enough = needed <= room;
      room = needed;
      if (enough) return true;
    }
  }
  ScatteredRows<T> view() const { return {heads_.data(), entries_->data()}; }

 private:
  static constexpr Offset most_entries = UINT32_MAX;  // as heads can say

  Queue& queue_;
  Scratch<RowHead> heads_;  // [num_rows]
  std::optional<Scratch<Entry<T>>> entries_{};
};

/// The rows in their order, 16 threads for each.
template <class T>
Csr<T> in_order(Queue& queue, Index num_rows, Index num_cols, const ScatteredRows<T>& from) {
  DeviceSteps steps(queue);
  Csr<T> made;
  made.num_rows = num_rows, made.num_cols = num_cols;
  Array<Offset> sums = steps.scratch<Offset>(Offset{num_rows} + 1);
  Offset* const sum = sums.data();
  steps.for_each(Offset{num_rows} + 1, [=] __device__(Offset i) { sum[i] = i > 0 ? from.heads[i - 1].length : 0; });
  steps.scan(sum, Offset{num_rows} + 1);
  const Offset num_entries = steps.read(sum + num_rows);
  made.cols = Array<Index>(queue, num_entries);
  made.vals = Array<T>(queue, num_entries);
  Index* const cols = made.cols.data();
  T* const vals = made.vals.data();
  steps.for_each(Offset{num_rows} * 16, [=] __device__(Offset i) {
    const RowHead head = from.heads[i / 16];
    const Offset to = sum[i / 16];
    for (auto k = static_cast<Index>(i % 16); k < head.length; k += 16) {
      const Entry<T> entry = from.entries[head.begin + k];
      cols[to + k] = entry.column, vals[to + k] = entry.value;
    }
  });
  if (num_entries > INT32_MAX) {
    made.row_ptr = std::move(sums);
    return made;
  }
  Array<std::int32_t> narrow(queue, Offset{num_rows} + 1);
  std::int32_t* const row_ptr = narrow.data();
  steps.for_each(Offset{num_rows} + 1, [=] __device__(Offset i) { row_ptr[i] = static_cast<std::int32_t>(sum[i]); });
  made.row_ptr = std::move(narrow);
  return made;
}

}  // namespace

template <class T>
bool sum_coarse(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const PatternView<T>& restriction, Offset& room,
                Csr<T>& coarse) {
  // Entries in a row of A P, where those of A are short and long, and of the result; more cost a second try.
  constexpr Offset likely = 12, likely_of_long = 24, likely_coarse = 64;
  const bool is_long = has_long_rows(a);
  const Offset num_rows = a.num_rows;
  const Index num_coarse = p.pattern.num_cols;
  const MatrixView<T> matrix = view_of(a);
  const OrderedRows<T> prolongator{p.pattern.row_ptr.data(), p.pattern.cols.data(), p.values.data()};
  PackedRows<T> product(queue, num_rows);
  if (room == 0) room = num_rows * (is_long ? likely_of_long : likely);
  if (!product.sum(matrix, prolongator, room, [&](const SumOutput<T>& out) {
        if (is_long)
          sum_short_rows<36, 4, 0>(queue, matrix, prolongator, num_rows, out);
        else
          sum_short_rows<16, sizeof(T) == 4 ? 2 : 4, 256>(queue, matrix, prolongator, num_rows, out);
      }))
    return false;
  const ScatteredRows<T> rows = product.view();
  const auto launch = [&](const SumOutput<T>& out) {
    if (is_long)
      sum_rows<16, 144, 64>(queue, restriction, rows, nullptr, num_coarse, out);
    else
      sum_rows<8, 56, 64>(queue, restriction, rows, nullptr, num_coarse, out);
  };
  if (coarse.num_rows == num_coarse) {  // it is there
    const convert::Rows known = convert::rows_of(coarse);
    SumOutput<T> out{};
    out.narrow = known.narrow, out.wide = known.wide, out.vals = coarse.vals.data();
    return RowSums<PatternView<T>, ScatteredRows<T>, T>(queue, restriction, rows, num_coarse, out).run(launch) >= 0;
  }
  PackedRows<T> made(queue, num_coarse);
  Offset num_entries = num_coarse * likely_coarse;
  if (!made.sum(restriction, rows, num_entries, launch)) return false;
  coarse = in_order(queue, num_coarse, num_coarse, made.view());
  return true;
}

#define MILLRACE_INSTANTIATE(T) \
  template bool sum_coarse(Queue&, const Csr<T>&, const Prolongator<T>&, const PatternView<T>&, Offset&, Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
