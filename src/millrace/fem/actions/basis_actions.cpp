// Actions on one field of one element: by sum factorisation (Orszag 1980) for tensor bases, by dense products for
// simplices; and the loop over elements that all actions share.
#include "millrace/fem/basis_actions.hpp"

#include <algorithm>
#include <functional>

#include "millrace/base/error.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/fem/actions/basis_actions_cuda.hpp"

namespace millrace {
namespace {

/// A table of rows x cols as T, used as it is or transposed.
template <class T>
struct Table {
  std::vector<T> entries;  // [rows, cols]
  int rows, cols;

  Table(const std::vector<double>& from, int num_rows) : rows(num_rows) {
    for (const double x : from) entries.push_back(static_cast<T>(x));
    cols = static_cast<int>(entries.size()) / rows;
  }
};

/// out[o, r, i] (+)= sum over c of a[r, c] in[o, c, i]; `inner` is the number of i, the fastest index. Transposed, rows
/// and cols change their parts.
template <class T>
void along(const Table<T>& a, Op op, int outer, int inner, const T* in, T* out, bool add) {
  const bool plain = op == Op::none;
  const int rows = plain ? a.rows : a.cols, cols = plain ? a.cols : a.rows;
  for (int o = 0; o < outer; ++o)
    for (int r = 0; r < rows; ++r) {
      T* y = out + static_cast<std::ptrdiff_t>(o * rows + r) * inner;
      if (!add) std::fill_n(y, inner, T{0});
      for (int c = 0; c < cols; ++c) {
        const T factor = a.entries[static_cast<std::size_t>(plain ? r * cols + c : c * rows + r)];
        const T* x = in + static_cast<std::ptrdiff_t>(o * cols + c) * inner;
        for (int i = 0; i < inner; ++i) y[i] += factor * x[i];
      }
    }
}

int power(int n, int k) { return k == 0 ? 1 : n * power(n, k - 1); }

/// Of a tensor basis: each direction in turn. One object a thread, for its work space.
template <class T>
class TensorActions {
 public:
  explicit TensorActions(const TensorProduct& of)
      : dim_(of.dim),
        on_nodes_(of.basis.on_nodes),
        interp_(of.basis.interp, of.basis.num_points),
        collocated_(of.basis.collocated, of.basis.num_points),
        points_(of.num_points()) {
    const auto size = static_cast<std::size_t>(power(std::max(interp_.rows, interp_.cols), dim_));
    for (std::vector<T>& space : {std::ref(first_), std::ref(second_), std::ref(third_)}) space.resize(size);
  }

  void interp(const T* u, T* v, bool add) { all_directions(Op::none, u, v, add); }
  void interp_transpose(const T* v, T* u, bool add) { all_directions(Op::transpose, v, u, add); }

  /// Values at the points first, then derivatives there: 2 dim products instead of dim^2.
  void grad(const T* u, T* v, bool add) {
    all_directions(Op::none, u, third_.data(), false);
    for (int d = 0; d < dim_; ++d) derivative(Op::none, d, third_.data(), v + d * points_, add);
  }
  void grad_transpose(const T* v, T* u, bool add) {
    for (int d = 0; d < dim_; ++d) derivative(Op::transpose, d, v + d * points_, third_.data(), d > 0);
    all_directions(Op::transpose, third_.data(), u, add);
  }

 private:
  void derivative(Op op, int d, const T* in, T* out, bool add) {
    along(collocated_, op, power(interp_.rows, dim_ - 1 - d), power(interp_.rows, d), in, out, add);
  }
  void all_directions(Op op, const T* in, T* out, bool add) {
    const int from = op == Op::none ? interp_.cols : interp_.rows, to = op == Op::none ? interp_.rows : interp_.cols;
    if (on_nodes_) {  // B is the identity
      for (int i = 0; i < points_; ++i) out[i] = add ? out[i] + in[i] : in[i];
      return;
    }
    for (int d = 0; d < dim_; ++d) {
      T* target = d == dim_ - 1 ? out : d == 0 ? first_.data() : second_.data();
      along(interp_, op, power(from, dim_ - 1 - d), power(to, d), in, target, add && d == dim_ - 1);
      in = target;
    }
  }

  int dim_;
  bool on_nodes_;
  Table<T> interp_, collocated_;
  int points_;
  std::vector<T> first_, second_, third_;
};

/// Of a simplex: the tables as they are; the gradients of all directions are one table [dim Q, P].
template <class T>
class SimplexActions {
 public:
  explicit SimplexActions(const SimplexBasis& of)
      : interp_(of.interp, of.num_points()), grad_(of.grad, dim(of.cell) * of.num_points()) {}

  void interp(const T* u, T* v, bool add) { along(interp_, Op::none, 1, 1, u, v, add); }
  void interp_transpose(const T* v, T* u, bool add) { along(interp_, Op::transpose, 1, 1, v, u, add); }
  void grad(const T* u, T* v, bool add) { along(grad_, Op::none, 1, 1, u, v, add); }
  void grad_transpose(const T* v, T* u, bool add) { along(grad_, Op::transpose, 1, 1, v, u, add); }

 private:
  Table<T> interp_, grad_;
};

template <class T>
auto actions_of(const TensorProduct& basis) {
  return TensorActions<T>(basis);
}
template <class T>
auto actions_of(const SimplexBasis& basis) {
  return SimplexActions<T>(basis);
}
int dim_of(const TensorProduct& basis) {
  require(1 <= basis.dim && basis.dim <= 3, "basis actions: a tensor product of dimension ", basis.dim,
          " was given; 1 to 3 are possible");
  return basis.dim;
}
int dim_of(const SimplexBasis& basis) { return dim(basis.cell); }
std::vector<double> weights_of(const TensorProduct& basis) {
  return tensor(Quadrature{1, 0, basis.basis.points, basis.basis.weights}, dim_of(basis)).weights;
}
std::vector<double> weights_of(const SimplexBasis& basis) { return basis.rule.weights; }

template <class T>
void check(const char* who, const Queue& queue, const char* name, const Vectors<T>& x, std::int64_t size) {
  require<Unsupported>(
      queue.device() == x.device, who, ": the queue is on ", [&] { return to_string(queue.device()); }, " and ", name,
      " on ", [&] { return to_string(x.device); }, "; they must be on the same device");
  require(x.num == 1 && x.size == size, who, ": ", name, " needs ", size, " entries in one vector; it has ", x.size,
          " in ", x.num);
}

/// run(basis) on a GPU.
template <class Basis, class Run>
void run_on_gpu(const char* who, const Basis& basis, Run&& run) {
  if constexpr (build::cuda)
    run(basis);
  else
    require<Unsupported>(false, who, ": a CUDA device was asked for, but this build has no CUDA");
}

/// act(actions, x, y) for every field of every element: x has num_in entries there, y num_out. On a GPU
/// act_there(basis, number of fields).
template <class T, class Basis, class Act, class ActThere>
void for_each_field(const char* who, Queue& queue, const Basis& basis, ElementFields fields, const Vectors<const T>& x,
                    int num_in, const Vectors<T>& y, int num_out, Act&& act, ActThere&& act_there) {
  const ThreadLimit limit(queue);
  require(fields.num_elem >= 0 && fields.comps >= 1, who, ": ", fields.num_elem, " elements with ", fields.comps,
          " components were given; 0 or more with 1 or more are possible");
  const std::int64_t num = fields.num_elem * fields.comps;
  check(who, queue, "the input", x, num * num_in);
  check(who, queue, "the output", y, num * num_out);
  if (!queue.device().on_host()) {
    run_on_gpu(who, basis, [&](const auto& there) { act_there(there, num); });
    return;
  }
  const Work each{.flops = 2 * std::max(num_in, num_out)};
  parallel(threads_for(queue.num_threads(), num, each), [&](int thread, int threads) {
    auto actions = actions_of<T>(basis);
    const auto [begin, end] = even_part(num, thread, threads);
    for (std::int64_t f = begin; f < end; ++f) act(actions, x.data + f * num_in, y.data + f * num_out);
  });
}

}  // namespace

template <class T, class Basis>
void interp(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> u, Vectors<T> v, Write write) {
  for_each_field(
      "interp", queue, basis, fields, u, basis.num_nodes(), v, basis.num_points(),
      [&](auto& actions, const T* x, T* y) { actions.interp(x, y, write == Write::add); },
      [&](const auto& there, std::int64_t num) {
        if constexpr (build::cuda) cuda::interp(queue, there, num, u.data, v.data, write);
      });
}

template <class T, class Basis>
void interp_transpose(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> v, Vectors<T> u,
                      Write write) {
  for_each_field(
      "interp_transpose", queue, basis, fields, v, basis.num_points(), u, basis.num_nodes(),
      [&](auto& actions, const T* x, T* y) { actions.interp_transpose(x, y, write == Write::add); },
      [&](const auto& there, std::int64_t num) {
        if constexpr (build::cuda) cuda::interp_transpose(queue, there, num, v.data, u.data, write);
      });
}

template <class T, class Basis>
void grad(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> u, Vectors<T> v, Write write) {
  for_each_field(
      "grad", queue, basis, fields, u, basis.num_nodes(), v, dim_of(basis) * basis.num_points(),
      [&](auto& actions, const T* x, T* y) { actions.grad(x, y, write == Write::add); },
      [&](const auto& there, std::int64_t num) {
        if constexpr (build::cuda) cuda::grad(queue, there, num, u.data, v.data, write);
      });
}

template <class T, class Basis>
void grad_transpose(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> v, Vectors<T> u,
                    Write write) {
  for_each_field(
      "grad_transpose", queue, basis, fields, v, dim_of(basis) * basis.num_points(), u, basis.num_nodes(),
      [&](auto& actions, const T* x, T* y) { actions.grad_transpose(x, y, write == Write::add); },
      [&](const auto& there, std::int64_t num) {
        if constexpr (build::cuda) cuda::grad_transpose(queue, there, num, v.data, u.data, write);
      });
}

template <class T, class Basis>
void weight(Queue& queue, const Basis& basis, std::int64_t num_elem, Vectors<T> w) {
  const ThreadLimit limit(queue);
  const std::vector<double> weights = weights_of(basis);
  check("weight", queue, "the output", w, num_elem * std::ssize(weights));
  if (!queue.device().on_host()) {
    run_on_gpu("weight", basis, [&](const auto& there) {
      if constexpr (build::cuda) cuda::weight(queue, there, num_elem, w.data);
    });
    return;
  }
  for (std::int64_t e = 0; e < num_elem; ++e)
    std::transform(weights.begin(), weights.end(), w.data + e * std::ssize(weights),
                   [](double x) { return static_cast<T>(x); });
}

template void interp<float>(Queue&, const TensorProduct&, ElementFields, Vectors<const float>, Vectors<float>, Write);
template void interp_transpose<float>(Queue&, const TensorProduct&, ElementFields, Vectors<const float>, Vectors<float>,
                                      Write);
template void grad<float>(Queue&, const TensorProduct&, ElementFields, Vectors<const float>, Vectors<float>, Write);
template void grad_transpose<float>(Queue&, const TensorProduct&, ElementFields, Vectors<const float>, Vectors<float>,
                                    Write);
template void weight<float>(Queue&, const TensorProduct&, std::int64_t, Vectors<float>);
template void interp<float>(Queue&, const SimplexBasis&, ElementFields, Vectors<const float>, Vectors<float>, Write);
template void interp_transpose<float>(Queue&, const SimplexBasis&, ElementFields, Vectors<const float>, Vectors<float>,
                                      Write);
template void grad<float>(Queue&, const SimplexBasis&, ElementFields, Vectors<const float>, Vectors<float>, Write);
template void grad_transpose<float>(Queue&, const SimplexBasis&, ElementFields, Vectors<const float>, Vectors<float>,
                                    Write);
template void weight<float>(Queue&, const SimplexBasis&, std::int64_t, Vectors<float>);
template void interp<double>(Queue&, const TensorProduct&, ElementFields, Vectors<const double>, Vectors<double>,
                             Write);
template void interp_transpose<double>(Queue&, const TensorProduct&, ElementFields, Vectors<const double>,
                                       Vectors<double>, Write);
template void grad<double>(Queue&, const TensorProduct&, ElementFields, Vectors<const double>, Vectors<double>, Write);
template void grad_transpose<double>(Queue&, const TensorProduct&, ElementFields, Vectors<const double>,
                                     Vectors<double>, Write);
template void weight<double>(Queue&, const TensorProduct&, std::int64_t, Vectors<double>);
template void interp<double>(Queue&, const SimplexBasis&, ElementFields, Vectors<const double>, Vectors<double>, Write);
template void interp_transpose<double>(Queue&, const SimplexBasis&, ElementFields, Vectors<const double>,
                                       Vectors<double>, Write);
template void grad<double>(Queue&, const SimplexBasis&, ElementFields, Vectors<const double>, Vectors<double>, Write);
template void grad_transpose<double>(Queue&, const SimplexBasis&, ElementFields, Vectors<const double>, Vectors<double>,
                                     Write);
template void weight<double>(Queue&, const SimplexBasis&, std::int64_t, Vectors<double>);

}  // namespace millrace
