// Splits vectors into real and imaginary parts, applies real operators to both, and adds them up with their factors.
#include "millrace/fem/complex_operator.hpp"

#include <algorithm>

#include "millrace/base/parallel.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/sort_unique.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {

template <class T>
ComplexOperator<T>::ComplexOperator(std::vector<Index> constrained) : constrained_(std::move(constrained)) {
  sort_unique(constrained_);
}

template <class T>
void ComplexOperator<T>::add_part(Part part, bool constrained) {
  const auto [rows, cols] = part.a->shape();
  require<Unsupported>(
      part.a->device().on_host(), "complex operator: a part lives on ", [&] { return to_string(part.a->device()); },
      "; parts are taken from the host");
  require(rows == cols, "complex operator: a part is ", rows, " x ", cols, "; parts are square");
  require(parts_.empty() || part.a->shape() == shape(), "complex operator: a part is ", rows, " x ", cols,
          "; those before are ", shape().rows, " x ", shape().cols);
  require(!constrained,
          "complex operator: a part has constrained nodes, whose identity would be scaled and summed; make it without "
          "and name their entries when this operator is made");
  const Index last = constrained_.empty() ? 0 : (constrained_.front() < 0 ? constrained_.front() : constrained_.back());
  require(constrained_.empty() || (last >= 0 && last < rows), "complex operator: constrained entry ", last,
          " is outside 0..", rows - 1);
  parts_.push_back(std::move(part));
}

template <class T>
Traffic ComplexOperator<T>::traffic(int num_vectors, bool reads_y) const {
  Traffic sum;
  const double a_vector = static_cast<double>(shape().rows) * sizeof(Number) * num_vectors;
  sum.minimum = sum.vectors = a_vector * (reads_y ? 3 : 2);
  for (const Part& part : parts_) {
    const Traffic one = part.a->traffic(2 * num_vectors);
    sum.matrix += one.matrix;
    sum.minimum += one.minimum - one.vectors;
    sum.vectors += one.vectors;  // to and from the split vectors
  }
  return sum;
}

template <class T>
bool ComplexOperator<T>::can_transpose() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.a->can_transpose(); });
}

template <class T>
void ComplexOperator<T>::do_apply(Queue& queue, const ApplyRequest<Number>& r) const {
  const std::int64_t n = shape().rows;
  Scratch<T> split = queue.scratch<T>(2 * n), result = queue.scratch<T>(2 * n);  // real parts, then imaginary ones
  T *re = split.data(), *im = re + n;
  const T *re_result = result.data(), *im_result = re_result + n;
  std::vector<Number> kept(constrained_.size());
  for (int k = 0; k < r.y.num; ++k) {
    const Number* x = r.x.data + k * r.x.stride;
    Number* y = r.y.data + k * r.y.stride;
    parallel_for(queue.num_threads(), n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        re[i] = x[i].real();
        im[i] = x[i].imag();
        y[i] = r.beta == Number{} ? Number{} : r.beta * y[i];
      }
    });
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Index at = constrained_[i];
      kept[i] = r.alpha * x[at] + y[at];
      re[at] = im[at] = T{0};
    }
    for (const Part& part : parts_) {
      part.a->apply(queue, {.x = {Device::host(), re, n, 2},
                            .y = {Device::host(), result.data(), n, 2},
                            .op = r.op == Op::none ? Op::none : Op::transpose});
      const Number factor = r.alpha * (r.op == Op::conjugate_transpose ? std::conj(part.factor) : part.factor);
      parallel_for(queue.num_threads(), n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) y[i] += factor * Number(re_result[i], im_result[i]);
      });
    }
    for (std::size_t i = 0; i < kept.size(); ++i) y[constrained_[i]] = kept[i];
  }
}

template <class T>
void ComplexOperator<T>::diagonal(Queue& queue, Vectors<Number> y) const {
  const ThreadLimit limit(queue);
  const std::int64_t n = shape().rows;
  require(y.size == n && y.num == 1, "diagonal: needs one vector of ", n, " entries; this is ", y.num, " of ", y.size);
  require<Unsupported>(y.device.on_host(), "diagonal: is computed on the host");
  std::fill(y.data, y.data + n, Number{});
  std::vector<T> part_diagonal(to_size(n));
  for (const Part& part : parts_) {
    require<Unsupported>(bool(part.diagonal), "diagonal: a part of the complex operator has none");
    part.diagonal(queue, part_diagonal);
    for (std::int64_t i = 0; i < n; ++i) y.data[i] += part.factor * part_diagonal[to_size(i)];
  }
  for (const Index i : constrained_) y.data[i] = Number{1};
}

template <class T>
auto ComplexOperator<T>::assemble(Queue& queue) const -> Csr<Number> {
  const auto n = static_cast<Index>(shape().rows);
  std::vector<Csr<T>> matrices;
  for (const Part& part : parts_) {
    require<Unsupported>(bool(part.assemble), "assemble: a part of the complex operator has no matrix");
    matrices.push_back(part.assemble(queue));
  }
  std::vector<bool> constrained(to_size(n));
  for (const Index i : constrained_) constrained[to_size(i)] = true;
  struct Entry {
    Index column;
    Number value;
  };
  Array<std::int64_t> row_ptr(std::int64_t{n} + 1);
  std::vector<Index> cols;
  std::vector<Number> vals;
  std::vector<Entry> row;
  row_ptr.data()[0] = 0;
  for (Index r = 0; r < n; ++r) {
    row.clear();
    if (constrained[to_size(r)]) row.push_back({r, Number{1}});
    for (std::size_t p = 0; p < parts_.size() && !constrained[to_size(r)]; ++p) {
      const Csr<T>& a = matrices[p];
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
        if (const Index c = a.cols.data()[k]; !constrained[to_size(c)])
          row.push_back({c, parts_[p].factor * a.vals.data()[k]});
    }
    std::stable_sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    const std::size_t first = cols.size();
    for (const Entry& entry : row) {
      if (cols.size() > first && cols.back() == entry.column) {
        vals.back() += entry.value;
        continue;
      }
      cols.push_back(entry.column);
      vals.push_back(entry.value);
    }
    row_ptr.data()[r + 1] = std::ssize(cols);
  }
  return Csr<Number>(n, n, std::move(row_ptr), Array<Index>(std::span<const Index>(cols)),
                     Array<Number>(std::span<const Number>(vals)));
}

template class ComplexOperator<float>;
template class ComplexOperator<double>;

}  // namespace millrace
