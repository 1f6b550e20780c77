// The Robin term on the host, face by face, and as a matrix.
#include <algorithm>
#include <limits>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/fem/element/one_device.hpp"
#include "millrace/sparse/assemble.hpp"

namespace millrace {

template <class T>
BoundaryOperator<T>::BoundaryOperator(const Boundary& boundary, const PlaceFunction& alpha)
    : num_dofs_(boundary.num_dofs),
      comp_stride_(boundary.comp_stride),
      num_faces_(boundary.num_faces),
      comps_(boundary.comps),
      alphas_(alpha.has_comps(boundary.comps) ? boundary.comps : 1),
      num_nodes_(boundary.num_nodes),
      num_points_(boundary.num_points),
      nodes_(boundary.nodes),
      values_(boundary.values.begin(), boundary.values.end()),
      factors_(to_size(Offset{alphas_} * num_faces_ * num_points_)),
      sums_(boundary.sums.to(Device::host())) {
  require(
      alpha.has_comps(comps_) || alpha.has_comps(1), "boundary operator: alpha has ",
      [&] { return comps_text(alpha.min_comps(), alpha.max_comps()); }, "; 1 or ", comps_, " are accepted");
  std::vector<double> value(to_size(std::max(alphas_, alpha.max_comps())));
  for (Index f = 0; f < num_faces_; ++f)
    for (int q = 0; q < num_points_; ++q) {
      const Offset at = Offset{f} * num_points_ + q;
      alpha.evaluate(boundary.place(f, q), boundary.normal(f, q), value.data());
      for (int c = 0; c < alphas_; ++c)
        factors_[to_size(Offset{c} * num_faces_ * num_points_ + at)] =
            static_cast<T>(boundary.weights[to_size(at)] * value[to_size(c)]);
    }
}

template <class T>
BoundaryOperator<T> BoundaryOperator<T>::to(Device target) const {
  require<Unsupported>(!matrix_, "boundary operator: only one on the host can be copied to another device");
  BoundaryOperator copy;
  copy.num_dofs_ = num_dofs_, copy.comp_stride_ = comp_stride_, copy.num_faces_ = num_faces_;
  copy.comps_ = comps_, copy.alphas_ = alphas_, copy.num_nodes_ = num_nodes_, copy.num_points_ = num_points_;
  if (target.on_host()) {
    copy.nodes_ = nodes_, copy.values_ = values_, copy.factors_ = factors_;
    copy.sums_ = sums_.to(target);
  } else {
    Queue queue;
    copy.matrix_.emplace(AnyFormat<T>(assemble(queue).to(target)));
    Array<T> numbers(num_dofs_);
    diagonal(queue, numbers);
    copy.diagonal_ = numbers.to(target);
  }
  return copy;
}

template <class T>
Traffic BoundaryOperator<T>::traffic(int num_vectors, bool reads_y) const {
  if (matrix_) return matrix_->traffic(num_vectors, reads_y);
  const auto on_faces = static_cast<double>(sums_.nodes.size()) * comps_;
  Traffic traffic;
  const auto values = static_cast<double>(factors_.size()) * sizeof(T);
  traffic.matrix = values + static_cast<double>(nodes_.size()) * sizeof(Index);
  traffic.vectors = (on_faces + static_cast<double>(num_dofs_) * (reads_y ? 2 : 1)) * sizeof(T) * num_vectors;
  traffic.minimum = values + traffic.vectors;
  return traffic;
}

template <class T>
template <class F>
void BoundaryOperator<T>::add_faces(int num_threads, T alpha, T* y, F&& f) const {
  std::vector<T> vectors(nodes_.size());  // [num_faces, num_nodes], of one component
  for (int c = 0; c < comps_; ++c) {
    parallel(threads_for(num_threads, num_faces_, {.flops = 256}), [&](int thread, int count) {
      const auto [begin, end] = even_part(num_faces_, thread, count);
      for (auto face = static_cast<Index>(begin); face < end; ++face)
        f(face, c, vectors.data() + Offset{face} * num_nodes_);
    });
    parallel_for(num_threads, sums_.nodes.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        T sum{0};
        for (Index i = sums_.first.data()[k]; i < sums_.first.data()[k + 1]; ++i)
          sum += vectors[to_size(sums_.contributions.data()[i])];
        T& to = y[sums_.nodes.data()[k] + c * comp_stride_];
        to = multiply_add(alpha, sum, to);
      }
    });
  }
}

template <class T>
void BoundaryOperator<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  if (matrix_) return matrix_->apply(queue, request);
  for (int v = 0; v < request.y.num; ++v) {
    const T* x = request.x.data + v * request.x.stride;
    T* y = request.y.data + v * request.y.stride;
    parallel_for(queue.num_threads(), num_dofs_, [&](std::int64_t begin, std::int64_t end) {
      if (is_zero(request.beta))
        std::fill(y + begin, y + end, T{0});
      else
        for (std::int64_t i = begin; i < end; ++i) y[i] *= request.beta;
    });
    add_faces(queue.num_threads(), request.alpha, y, [&](Index face, int c, T* vector) {
      const Index* nodes = nodes_.data() + Offset{face} * num_nodes_;
      const T* factors = factors_of(c) + Offset{face} * num_points_;
      std::fill(vector, vector + num_nodes_, T{0});
      for (int q = 0; q < num_points_; ++q) {
        const T* values = values_.data() + Offset{q} * num_nodes_;
        T u{0};
        for (int n = 0; n < num_nodes_; ++n) u = multiply_add(values[n], x[nodes[n] + c * comp_stride_], u);
        u *= factors[q];
        for (int n = 0; n < num_nodes_; ++n) vector[n] = multiply_add(values[n], u, vector[n]);
      }
    });
  }
}

template <class T>
void BoundaryOperator<T>::diagonal(Queue& queue, Vectors<T> y) const {
  const ThreadLimit limit(queue);
  require(y.size == num_dofs_ && y.num == 1, "diagonal: needs one vector of ", num_dofs_, " entries; this is ", y.num,
          " of ", y.size);
  require_one_device("diagonal", device(), queue, y.device);
  if (matrix_) {
    copy_bytes(queue, y.device, y.data, device(), diagonal_.data(), static_cast<std::size_t>(diagonal_.bytes()));
    return;
  }
  std::fill(y.data, y.data + y.size, T{0});
  add_faces(queue.num_threads(), T{1}, y.data, [&](Index face, int c, T* vector) {
    const T* factors = factors_of(c) + Offset{face} * num_points_;
    for (int n = 0; n < num_nodes_; ++n) {
      T sum{0};
      for (int q = 0; q < num_points_; ++q) {
        const T value = values_[to_size(q * num_nodes_ + n)];
        sum = multiply_add(factors[q] * value, value, sum);
      }
      vector[n] = sum;
    }
  });
}

template <class T>
Csr<T> BoundaryOperator<T>::assemble(Queue&) const {
  require<Unsupported>(!matrix_, "assemble: is done on the host; assemble before the operator goes to a GPU");
  require<Unsupported>(num_dofs_ <= std::numeric_limits<Index>::max(), "assemble: ", num_dofs_,
                       " unknowns; a matrix has at most 2^31 - 1 rows");
  std::vector<Triplet<T>> entries;
  entries.reserve(to_size(Offset{comps_} * num_faces_ * num_nodes_ * num_nodes_));
  for (int c = 0; c < comps_; ++c)
    for (Index face = 0; face < num_faces_; ++face) {
      const T* factors = factors_of(c) + Offset{face} * num_points_;
      const auto entry = [&](int n) {
        return static_cast<Index>(nodes_[to_size(Offset{face} * num_nodes_ + n)] + c * comp_stride_);
      };
      for (int i = 0; i < num_nodes_; ++i)
        for (int j = i; j < num_nodes_; ++j) {
          T sum{0};
          for (int q = 0; q < num_points_; ++q)
            sum = multiply_add(factors[q] * values_[to_size(q * num_nodes_ + i)], values_[to_size(q * num_nodes_ + j)],
                               sum);
          entries.push_back({entry(i), entry(j), sum});
          if (j != i) entries.push_back({entry(j), entry(i), sum});
        }
    }
  return make_csr(static_cast<Index>(num_dofs_), static_cast<Index>(num_dofs_), entries);
}

template class BoundaryOperator<float>;
template class BoundaryOperator<double>;

}  // namespace millrace
