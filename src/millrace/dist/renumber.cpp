// New numbers of columns come from the ranks that have these rows, by the halo of the old partition. Then each rank
// sends the ranks after it, one at a time and in pieces, the rows that they get: columns first, whose old ones go then.
#include "millrace/dist/renumber.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "millrace/base/together.hpp"
#include "millrace/dist/halo.hpp"
#include "millrace/dist/lists.hpp"

namespace millrace {
namespace {

// Parts of the new numbers, and the new number of each row here.
struct NewNumbers {
  Partition parts{{0}};
  std::vector<std::int64_t> of_row{};
};

NewNumbers new_numbers(const Comm& comm, std::span<const int> part_of_row) {
  const std::size_t ranks = to_size(comm.size());
  std::vector<std::int64_t> counts(ranks);
  for (const int part : part_of_row) ++counts[to_size(part)];
  const std::vector<std::int64_t> all = comm.gather(std::span<const std::int64_t>(counts));  // [ranks, parts]
  NewNumbers made;
  std::vector<std::int64_t> next(ranks);
  for (std::size_t p = 0; p < ranks; ++p) {
    std::int64_t end = made.parts.starts.back();
    for (std::size_t r = 0; r < ranks; ++r) {
      if (r == to_size(comm.rank())) next[p] = end;
      end += all[r * ranks + p];
    }
    made.parts.starts.push_back(end);
  }
  for (const int part : part_of_row) made.of_row.push_back(next[to_size(part)]++);
  return made;
}

// New numbers of the ghosts of a plan.
std::vector<std::int64_t> numbers_of_ghosts(const Comm& comm, const HaloPlan& plan,
                                            const std::vector<std::int64_t>& new_number) {
  std::vector<std::int64_t> sent, ghosts(plan.ghosts.size());
  for (const Index row : plan.send_rows) sent.push_back(new_number[to_size(row)]);
  std::vector<Message> in, out;
  for (const Neighbour& each : plan.from)
    in.push_back(message_of(each.rank, 0, ghosts.data() + each.begin, each.size()));
  for (const Neighbour& each : plan.to) out.push_back(message_of(each.rank, 0, sent.data() + each.begin, each.size()));
  Messages messages(comm, in, out, "a renumbering");
  messages.start();
  messages.wait();
  return ghosts;
}

// The entries of `from` in the rows that go to each rank, as `value` gives them, come behind each other by rank, in
// pieces.
template <class E, class Value>
void send_entries(const Comm& comm, const Array<Offset>& row_ptr, std::span<const int> part_of_row,
                  const std::vector<Offset>& from_rank, E* to, Value&& value) {
  constexpr std::int64_t piece = 1 << 16;  // entries
  std::vector<E> out;
  for (int step = 0; step < comm.size(); ++step) {
    const int next = (comm.rank() + step) % comm.size(), before = (comm.rank() + comm.size() - step) % comm.size();
    std::size_t row = 0;  // the entries before this one have gone
    Offset entry = 0;
    const auto fill_piece = [&] {
      out.clear();
      while (row < part_of_row.size() && std::ssize(out) < piece) {
        const Offset end = row_ptr.data()[row + 1];
        if (part_of_row[row] == next)
          while (entry < end && std::ssize(out) < piece) out.push_back(value(entry++));
        else
          entry = end;
        if (entry == end) ++row;
      }
    };
    Offset place = from_rank[to_size(before)];
    const Offset last = from_rank[to_size(before) + 1];
    for (fill_piece(); !out.empty() || place < last; fill_piece()) {
      const Offset count = std::min(piece, last - place);
      if (step == 0) {
        std::ranges::copy(out, to + place);
      } else {
        std::vector<Message> in, sent;
        if (count > 0) in.push_back(message_of(before, 0, to + place, count));
        if (!out.empty()) sent.push_back(message_of(next, 0, out.data(), std::ssize(out)));
        Messages messages(comm, in, sent, "a renumbering");
        messages.start();
        messages.wait();
      }
      place += count;
    }
  }
}

// A row on its way.
struct SentRow {
  std::int64_t old_row;
  Offset length;
};

// Old numbers of the rows here, those of one rank after another.
template <class T>
std::vector<std::vector<std::int64_t>> by_old_owner(const Renumbered<T>& numbers) {
  std::vector<std::vector<std::int64_t>> lists(to_size(numbers.old_parts.num_parts()));
  for (const std::int64_t row : numbers.old_rows) lists[to_size(numbers.old_parts.owner(row))].push_back(row);
  return lists;
}

template <class T>
void check_vectors(const Comm& comm, const char* what, std::span<const T> entries, std::int64_t rows, int num) {
  together(comm, [&] {
    require(num >= 0 && std::ssize(entries) == rows * num, what, ": ", entries.size(), " entries; this rank has ", rows,
            " rows, of ", num, " vectors");
  });
}

}  // namespace

template <class T>
Renumbered<T> renumber(const Comm& comm, GlobalRows<T>&& rows, std::span<const int> part_of_row) {
  Renumbered<T> made;
  made.old_parts = as_they_are(comm, rows.num_rows());
  together(comm, [&] {
    check_rows(rows);
    require(rows.first == made.old_parts.begin(comm.rank()) && rows.num_cols == made.old_parts.num_rows(),
            "renumber: rows from ", rows.first, " on with ", rows.num_cols, " columns; the ranks before have ",
            made.old_parts.begin(comm.rank()), " rows and all of them ", made.old_parts.num_rows(),
            "; the matrix must be square");
    require(std::ssize(part_of_row) == rows.num_rows(), "renumber: parts of ", part_of_row.size(), " rows; there are ",
            rows.num_rows());
    for (const int part : part_of_row)
      require(part >= 0 && part < comm.size(), "renumber: part ", part, "; 0 to ", comm.size() - 1, " are accepted");
  });
  NewNumbers numbers = new_numbers(comm, part_of_row);
  const HaloPlan plan = make_halo_plan(comm, made.old_parts, {rows.cols.data(), to_size(rows.cols.size())});
  const std::vector<std::int64_t> ghosts = numbers_of_ghosts(comm, plan, numbers.of_row);
  const auto new_column = [&](Offset s) {
    const std::int64_t col = rows.cols.data()[s];
    if (col >= rows.first && col < rows.end()) return numbers.of_row[to_size(col - rows.first)];
    return ghosts[to_size(std::ranges::lower_bound(plan.ghosts, col) - plan.ghosts.begin())];
  };

  std::vector<std::vector<SentRow>> out(to_size(comm.size()));
  for (std::int64_t r = 0; r < rows.num_rows(); ++r)
    out[to_size(part_of_row[to_size(r)])].push_back(
        {rows.first + r, rows.row_ptr.data()[r + 1] - rows.row_ptr.data()[r]});
  made.parts = std::move(numbers.parts);
  made.rows = {made.parts.begin(comm.rank()), rows.num_cols, Array<Offset>(made.parts.size(comm.rank()) + 1)};
  Offset* row_ptr = made.rows.row_ptr.data();
  *row_ptr = 0;
  std::vector<Offset> from_rank{0};  // entries that come from the ranks before each
  for (const std::vector<SentRow>& some : exchange_lists(comm, out, "a renumbering")) {
    for (const SentRow& row : some) {
      made.old_rows.push_back(row.old_row);
      row_ptr[1] = row_ptr[0] + row.length;
      ++row_ptr;
    }
    from_rank.push_back(*row_ptr);
  }
  out = {};
  made.rows.cols = Array<std::int64_t>(*row_ptr);
  send_entries(comm, rows.row_ptr, part_of_row, from_rank, made.rows.cols.data(), new_column);
  rows.cols = {};  // so one of the four arrays is missing at any time
  made.rows.vals = Array<T>(*row_ptr);
  send_entries(comm, rows.row_ptr, part_of_row, from_rank, made.rows.vals.data(),
               [&](Offset s) { return rows.vals.data()[s]; });
  rows = {};
  made.rows = together(comm, [&] { return sort_rows(std::move(made.rows)); });
  return made;
}

template <class T>
std::vector<T> to_old_numbers(const Comm& comm, const Renumbered<T>& numbers, std::span<const T> entries, int num) {
  const std::int64_t rows = std::ssize(numbers.old_rows), old_rows = numbers.old_parts.size(comm.rank()),
                     first = numbers.old_parts.begin(comm.rank());
  check_vectors(comm, "to_old_numbers", entries, rows, num);
  const auto places = exchange_lists(comm, by_old_owner(numbers), "a way back to old numbers");
  std::vector<T> made(to_size(old_rows * num));
  for (int v = 0; v < num; ++v) {
    std::vector<std::vector<T>> out(to_size(comm.size()));
    for (std::int64_t i = 0; i < rows; ++i)
      out[to_size(numbers.old_parts.owner(numbers.old_rows[to_size(i)]))].push_back(entries[to_size(v * rows + i)]);
    const auto came = exchange_lists(comm, out, "a way back to old numbers");
    for (std::size_t r = 0; r < came.size(); ++r)
      for (std::size_t k = 0; k < came[r].size(); ++k) made[to_size(v * old_rows + places[r][k] - first)] = came[r][k];
  }
  return made;
}

template <class T>
std::vector<T> to_new_numbers(const Comm& comm, const Renumbered<T>& numbers, std::span<const T> entries, int num) {
  const std::int64_t rows = std::ssize(numbers.old_rows), old_rows = numbers.old_parts.size(comm.rank()),
                     first = numbers.old_parts.begin(comm.rank());
  check_vectors(comm, "to_new_numbers", entries, old_rows, num);
  const auto asked = exchange_lists(comm, by_old_owner(numbers), "a way to new numbers");
  std::vector<T> made(to_size(rows * num));
  for (int v = 0; v < num; ++v) {
    std::vector<std::vector<T>> out(to_size(comm.size()));
    for (std::size_t r = 0; r < out.size(); ++r)
      for (const std::int64_t row : asked[r]) out[r].push_back(entries[to_size(v * old_rows + row - first)]);
    const auto came = exchange_lists(comm, out, "a way to new numbers");
    std::vector<std::size_t> next(came.size());
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::size_t owner = to_size(numbers.old_parts.owner(numbers.old_rows[to_size(i)]));
      made[to_size(v * rows + i)] = came[owner][next[owner]++];
    }
  }
  return made;
}

#define MILLRACE_INSTANTIATE(T)                                                                       \
  template Renumbered<T> renumber(const Comm&, GlobalRows<T>&&, std::span<const int>);                \
  template std::vector<T> to_old_numbers(const Comm&, const Renumbered<T>&, std::span<const T>, int); \
  template std::vector<T> to_new_numbers(const Comm&, const Renumbered<T>&, std::span<const T>, int)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
