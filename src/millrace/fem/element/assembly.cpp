// The matrix of an element operator: the pattern from the elements around each node, the values by applying each
// element to its unit vectors, as many at once as a batch has lanes. Of a symmetric physics it is symmetric to the bit.
#include <algorithm>
#include <numeric>

#include "millrace/base/sort_unique.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/element/node_places.hpp"
#include "millrace/fem/element_operator.hpp"

namespace millrace {
namespace {

/// For each free node the free nodes it shares an element with, ascending; a constrained node that has the identity has
/// itself alone.
struct NodePattern {
  std::vector<Offset> start;   // [num_nodes + 1]
  std::vector<Index> columns;  // [start.back()]

  Offset length(Index n) const { return start[to_size(n) + 1] - start[to_size(n)]; }
  Offset place(Index n, Index column) const {  // in the row of n
    const auto first = columns.begin() + start[to_size(n)], last = columns.begin() + start[to_size(n) + 1];
    return std::lower_bound(first, last, column) - first;
  }
};

template <class T>
NodePattern make_pattern(const ElementData<T>& data, int num_threads) {
  const int nodes = data.nodes();
  const auto offsets = data.offsets.span();
  const NodePlaces<Offset> found = find_node_places<Offset>(offsets, data.num_nodes, nodes, num_threads);
  const std::vector<Offset>& first = found.first;
  const std::vector<Index>& elements = found.places;

  std::vector<bool> has_identity(to_size(data.num_nodes));
  for (const Index n : data.constrained.span()) has_identity[to_size(n)] = true;

  const auto collect = [&](Index n, std::vector<Index>& row) {
    row.clear();
    for (Offset k = first[to_size(n)]; k < first[to_size(n) + 1]; ++k)
      for (const Index m : offsets.subspan(to_size(Offset{elements[to_size(k)]} * nodes), to_size(nodes)))
        if (m >= 0) row.push_back(m);
    if (has_identity[to_size(n)]) row.push_back(n);
    sort_unique(row);
  };
  NodePattern pattern;
  pattern.start.resize(to_size(data.num_nodes) + 1);
  const auto each_node = [&](auto&& f) {
    parallel_for(num_threads, data.num_nodes, {.flops = 8 * nodes}, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Index> row;
      for (auto n = static_cast<Index>(begin); n < end; ++n) {
        collect(n, row);
        f(n, row);
      }
    });
  };
  each_node([&](Index n, const std::vector<Index>& row) { pattern.start[to_size(n) + 1] = std::ssize(row); });
  std::partial_sum(pattern.start.begin(), pattern.start.end(), pattern.start.begin());
  pattern.columns.resize(to_size(pattern.start.back()));
  each_node([&](Index n, const std::vector<Index>& row) {
    std::copy(row.begin(), row.end(), pattern.columns.begin() + pattern.start[to_size(n)]);
  });
  return pattern;
}

/// Rows and columns of all components: row n of component c holds its nodes for component 0, then 1, ...
template <class T>
Csr<T> make_rows(const ElementData<T>& data, const NodePattern& pattern) {
  const int comps = data.comps;
  std::vector<bool> constrained(to_size(data.num_nodes));
  for (const Index n : data.constrained.span()) constrained[to_size(n)] = true;
  const auto num_rows = data.num_dofs();
  require<Unsupported>(num_rows <= std::numeric_limits<Index>::max(), "assemble: ", num_rows,
                       " unknowns; a matrix has at most 2^31 - 1 rows");
  Array<std::int64_t> row_ptr(num_rows + 1);
  row_ptr.data()[0] = 0;
  for (std::int64_t r = 0; r < num_rows; ++r) {
    const auto n = static_cast<Index>(r % data.num_nodes);
    row_ptr.data()[r + 1] = row_ptr.data()[r] + pattern.length(n) * (constrained[to_size(n)] ? 1 : comps);
  }
  const Offset num_entries = row_ptr.data()[num_rows];
  Array<Index> cols(num_entries);
  Array<T> vals(num_entries, T{0});
  for (std::int64_t r = 0; r < num_rows; ++r) {
    const auto n = static_cast<Index>(r % data.num_nodes);
    Index* to = cols.data() + row_ptr.data()[r];
    if (constrained[to_size(n)]) {
      *to = static_cast<Index>(r);
      vals.data()[row_ptr.data()[r]] = T{1};
      continue;
    }
    for (int c = 0; c < comps; ++c)
      for (Offset k = pattern.start[to_size(n)]; k < pattern.start[to_size(n) + 1]; ++k)
        *to++ = static_cast<Index>(pattern.columns[to_size(k)] + c * data.comp_stride);
  }
  return Csr<T>(static_cast<Index>(num_rows), static_cast<Index>(num_rows), std::move(row_ptr), std::move(cols),
                std::move(vals));
}

}  // namespace

template <class T>
Csr<T> ElementOperator<T>::assemble(Queue& queue) const {
  const ThreadLimit limit(queue);
  require<Unsupported>(device().on_host(), "assemble: is done on the host; assemble before the operator goes to a GPU");
  constexpr int L = num_lanes<T>;
  const int nodes = data_.nodes(), comps = data_.comps, unknowns = comps * nodes;
  const NodePattern pattern = make_pattern(data_, queue.num_threads());
  Csr<T> a = make_rows(data_, pattern);
  host_.schedule.run(queue.num_threads(), {.flops = 1000}, [&](int, Index begin, Index end) {
    BatchFactors<T> factors(data_, physics_);
    std::vector<T> work(to_size(host_.batch.work_size()));
    std::vector<T> matrix(to_size(Offset{unknowns} * unknowns));  // of the element, row after row
    std::vector<Offset> place(to_size(nodes * nodes));            // of column j in the row of node i
    for (Index e = begin; e < end; ++e) {
      const Index* mine = data_.offsets.data() + Offset{e} * nodes;
      for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j)
          if (mine[i] >= 0 && mine[j] >= 0) place[to_size(i * nodes + j)] = pattern.place(mine[i], mine[j]);
      const T* stored = factors.batch(e, 1);
      for (int first = 0; first < unknowns; first += L) {
        const int count = std::min(L, unknowns - first);
        std::fill(work.begin(), work.begin() + Offset{unknowns} * L, T{0});
        for (int l = 0; l < count; ++l) work[to_size((first + l) * L + l)] = T{1};
        host_.batch.apply(physics_, stored, work.data());
        for (int row = 0; row < unknowns; ++row)
          std::copy_n(work.begin() + row * L, count, matrix.begin() + Offset{row} * unknowns + first);
      }
      const auto entry = [&](int row, int column) -> T* {  // of the assembled matrix; null: a constrained node
        const int i = row % nodes, j = column % nodes;
        if (mine[i] < 0 || mine[j] < 0) return nullptr;
        return a.vals.data() + a.row_begin(static_cast<Index>(mine[i] + row / nodes * data_.comp_stride)) +
               column / nodes * pattern.length(mine[i]) + place[to_size(i * nodes + j)];
      };
      for (int row = 0; row < unknowns; ++row)
        for (int column = physics_.symmetric ? row : 0; column < unknowns; ++column) {
          T* to = entry(row, column);
          if (!to) continue;
          T value = matrix[to_size(Offset{row} * unknowns + column)];
          if (physics_.symmetric && column != row) {  // both entries get the same numbers in the same order
            value = (value + matrix[to_size(Offset{column} * unknowns + row)]) / 2;
            *entry(column, row) += value;
          }
          *to += value;
        }
    }
  });
  return a;
}

template Csr<float> ElementOperator<float>::assemble(Queue&) const;
template Csr<double> ElementOperator<double>::assemble(Queue&) const;

}  // namespace millrace
