// Partition, redistribution, and vectors by way of rank 0.
#include "millrace/dist/spread.hpp"

#include <algorithm>
#include <complex>
#include <numeric>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/trim.hpp"
#include "millrace/dist/gather.hpp"
#include "millrace/dist/partition_graph.hpp"
#include "millrace/dist/redistribute.hpp"

namespace millrace {

template <class T>
SpreadRows<T>::SpreadRows(const Comm& comm, GlobalRows<T> as_read, PartitionKind kind, std::int64_t multiple)
    : comm_(comm), parts_(as_they_are(comm, as_read.num_rows())), rows_(std::move(as_read)) {
  if (kind == PartitionKind::graph) {
    require<Unsupported>(multiple == 1, "partition metis gives rows new numbers, and ranks begin anywhere; with the ",
                         "bits of one rank, rows and entries are accepted");
    const std::vector<int> part = by_graph(comm, rows_, comm.size());
    give_freed_memory_back();
    numbers_ = renumber(comm, std::move(rows_), part);
    give_freed_memory_back();
    rows_ = std::move(numbers_->rows);
    parts_ = numbers_->parts;
    return;
  }
  Partition wanted = parts_;
  if (kind == PartitionKind::rows) wanted = by_rows(parts_.num_rows(), comm.size(), multiple);
  if (kind == PartitionKind::entries) {
    std::vector<std::int64_t> lengths(to_size(rows_.num_rows()));
    std::adjacent_difference(rows_.row_ptr.data() + 1, rows_.row_ptr.data() + 1 + rows_.num_rows(), lengths.begin());
    wanted = by_entries(comm, lengths, multiple);
  }
  if (wanted == parts_) return;
  rows_ = redistribute(comm, rows_, wanted);
  parts_ = wanted;
}

template <class T>
std::vector<std::int64_t> SpreadRows<T>::file_rows() const {
  if (numbers_) return numbers_->old_rows;
  std::vector<std::int64_t> numbers(to_size(parts_.size(comm_.rank())));
  std::iota(numbers.begin(), numbers.end(), parts_.begin(comm_.rank()));
  return numbers;
}

template <class T>
std::vector<T> SpreadRows<T>::from_file(std::span<const T> on_rank_0, int num) const {
  const std::vector<T> dealt = deal_vectors<T>(comm_, numbers_ ? numbers_->old_parts : parts_, on_rank_0, num);
  return numbers_ ? to_new_numbers<T>(comm_, *numbers_, dealt, num) : dealt;
}

template <class T>
std::vector<T> SpreadRows<T>::to_file(std::span<const T> here, int num) const {
  if (!numbers_) return gather_vectors<T>(comm_, parts_, here, num);
  return gather_vectors<T>(comm_, numbers_->old_parts, to_old_numbers<T>(comm_, *numbers_, here, num), num);
}

template class SpreadRows<float>;
template class SpreadRows<double>;
template class SpreadRows<std::complex<float>>;
template class SpreadRows<std::complex<double>>;

}  // namespace millrace
