// Blocks of products, their projections on the space, and the restart.
#include "millrace/solve/methods/block_lanczos.hpp"

#include "millrace/solve/engine/agree.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {

namespace {

/// A matrix that makes a block orthonormal, from what is known of it.
template <class W>
struct Change {
  std::vector<int> kept;       // columns that are more than rounding
  SmallMatrix<W> forth, back;  // [block, kept], [kept, block]
  bool clean = true;           // another pass would change nothing
};

/// From the Gram matrix of the block without its parts in V; `lost[j]`: column j counts no more.
template <class W>
Change<W> make_change(const SmallMatrix<W>& gram, const std::vector<bool>& lost, double epsilon) {
  Change<W> change;
  for (int j = 0; j < gram.cols; ++j)
    if (!lost[static_cast<std::size_t>(j)]) change.kept.push_back(j);
  const auto count = static_cast<int>(change.kept.size());
  const auto kept = [&](int j) { return change.kept[static_cast<std::size_t>(j)]; };
  const auto length = [&](int j) { return std::sqrt(std::max(real_part(gram(kept(j), kept(j))), 0x1p-1000)); };
  SmallMatrix<W> scaled(count, count);
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) scaled(i, j) = (1 / (length(i) * length(j))) * gram(kept(i), kept(j));
  const SmallEigen<W> eigen = small_eigen(count, std::move(scaled.values));
  change.forth = SmallMatrix<W>(gram.cols, count);
  change.back = SmallMatrix<W>(count, gram.cols);
  for (int j = 0; j < count; ++j) {  // what is most certain first
    const int from = count - 1 - j;
    const double value = eigen.values[static_cast<std::size_t>(from)], root = std::sqrt(std::max(value, 100 * epsilon));
    if (value < 0.01) change.clean = false;
    for (int i = 0; i < count; ++i) {
      const W entry = eigen.vectors[static_cast<std::size_t>(from * count + i)];
      change.forth(kept(i), j) = (1 / (root * length(i))) * entry;
      change.back(j, kept(i)) = (root * length(i)) * conjugate(entry);
    }
  }
  return change;
}

}  // namespace

template <class T>
BlockLanczos<T>::BlockLanczos(Queue& on, const Operator<T>& op, const Operator<T>* inner, int max, int size,
                              Precision stored, std::uint64_t seed)
    : queue(on),
      a(op),
      mass(inner),
      comm(op.comm()),
      n(op.shape().rows),
      global(n),
      max_vectors(max),
      block(size),
      v(queue, n, max + size, stored),
      w(queue, v.stride() * size),
      z(queue, mass ? v.stride() * size : 0),
      u(queue, v.narrow() ? v.stride() * size : 0),
      seed_(seed),
      sums_(queue, 2 * std::int64_t{size} * (max + 2 * size)),
      here_(Device::host(), sums_.size(), queue.device().on_host() ? Memory::plain : Memory::pinned),
      rotation_(queue, std::int64_t{max} * max),
      h_(max + size, max + size) {
  require_sums(queue.device(), comm);
  global = all_rows(comm, n);
  first_ = first_row(comm, n);
}

template <class T>
void BlockLanczos<T>::randomise(int count) {
  const std::uint64_t stream = seed_ * 4099;
  for (int c = 0; c < count; ++c)
    sweep(queue, comm, n,
          RandomStep<Arith<T>>(arith(w.data() + c * v.stride()), (((stream << 20) + drawn_++) << 32) + first_));
}

template <class T>
void BlockLanczos<T>::inner_products(int k, int count, W* to) {
  const Vectors<T> block_w = vectors(w, count);
  if (mass) mass->apply(queue, {.x = block_w, .y = vectors(z, count)});
  block_sums<T>(queue, comm, v, k, block_w, mass ? vectors(z, count) : block_w, to);
  const double vector = static_cast<double>(n) * sizeof(T);
  bytes += static_cast<double>(v.vector_bytes()) * k + vector * count + (mass ? mass->traffic(count).total() : 0);
}

template <class T>
int BlockLanczos<T>::settle(int k, int count, bool random, SmallMatrix<W>& projection, SmallMatrix<W>& coupling) {
  const double vector = static_cast<double>(n) * sizeof(T), stored = static_cast<double>(v.vector_bytes());
  projection = SmallMatrix<W>(k, count);
  coupling = SmallMatrix<W>::identity(count);
  double longest = 0;                          // of the vectors as they came
  const std::int64_t half = sums_.size() / 2;  // the sums of the first pass lie behind those of the others
  const auto bring = [&](std::int64_t from, int num) {
    copy_bytes(queue, Device::host(), here_.data() + from, queue.device(), sums_.data() + from,
               static_cast<std::size_t>(num) * sizeof(W));
  };
  const auto part_of = [&](std::int64_t from, int first, int num_rows) {  // of sums [count, k + count]
    SmallMatrix<W> part(num_rows, count);
    for (int c = 0; c < count; ++c)
      std::copy_n(here_.data() + from + c * (k + count) + first, num_rows, part.values.data() + c * num_rows);
    return part;
  };
  for (int pass = 0;; ++pass) {
    const int rows = k + count;
    inner_products(k, count, sums_.data() + (pass == 0 ? half : 0));
    bytes += stored * k + 2 * vector * count;  // of the update below
    bring(pass == 0 ? half : 0, rows * count);
    if (pass == 0) {
      block_subtract<T>(queue, v, k, vectors(w, count), sums_.data() + half);
      continue;
    }
    queue.wait();
    if (pass == 1) {
      projection = part_of(half, 0, k);
      const SmallMatrix<W> gram = part_of(half, k, count);
      for (int c = 0; c < count; ++c) longest = std::max(longest, std::sqrt(std::abs(real_part(gram(c, c)))));
    }
    const SmallMatrix<W> parts = part_of(0, 0, k);
    SmallMatrix<W> gram = part_of(0, k, count);
    for (const W& value : gram.values)
      if (!is_finite(value)) return -1;
    bool clean = true;
    std::vector<bool> lost(static_cast<std::size_t>(count));
    for (int c = 0; c < count; ++c) {
      double inside = 0;
      for (int i = 0; i < k; ++i) inside += norm_square(parts(i, c));
      for (int d = 0; d < count; ++d)
        for (int i = 0; i < k; ++i) gram(c, d) = gram(c, d) - conjugate(parts(i, c)) * parts(i, d);
      const double left = std::max(real_part(gram(c, c)), 0.0);
      if (inside > left) clean = false;
      lost[static_cast<std::size_t>(c)] =
          !random && std::sqrt(left) * coupling.row_norm(c) <= 10 * v.epsilon() * longest;
    }
    const Change<W> change = make_change(gram, lost, v.precision);
    clean = (clean && change.clean) || pass >= 8;
    projection += parts * coupling;
    coupling = change.back * coupling;
    const auto left = static_cast<int>(change.kept.size());
    if (left == 0) return 0;
    const SmallMatrix<W> away = parts * change.forth;
    W* y = here_.data();  // [count, k + count]; rows beyond `left` are not used. The next wait comes before they change
    for (int c = 0; c < count; ++c)
      for (int i = 0; i < rows; ++i) y[c * rows + i] = c >= left ? W{} : i < k ? -away(i, c) : change.forth(i - k, c);
    copy_bytes(queue, queue.device(), sums_.data(), Device::host(), y,
               static_cast<std::size_t>(count * rows) * sizeof(W));
    block_combine<T>(queue, v, k, vectors(w, count), sums_.data(), clean ? k : -1);
    if (clean) return left;
    count = left;  // the next pass may see fewer columns
  }
}

template <class T>
void BlockLanczos<T>::append_random(int k, int count) {
  if (count <= 0) return;
  SmallMatrix<W> projection, coupling;
  randomise(count);
  sound_ = settle(k, count, true, projection, coupling) == count && sound_;
}

template <class T>
void BlockLanczos<T>::begin(Vectors<const T> start) {
  dimension = locked;
  std::fill(h_.values.begin(), h_.values.end(), W{});
  const int wanted = static_cast<int>(std::min<std::int64_t>(block, global - locked));
  width = 0;
  if (start.data) {
    const int given = std::min(start.num, wanted);
    for (int c = 0; c < given; ++c) {
      const Arith<T>* from = arith(start.data + c * start.stride);
      Arith<T>* to = arith(w.data() + c * v.stride());
      if (const Array<Index>* order = a.permutation())
        sweep(queue, comm, n, PermuteStep<Arith<T>>(order->data(), from, to, false));
      else
        sweep(queue, comm, n, AddStep<Arith<T>>(one<Arith<T>>(), from, Arith<T>{}, to));
    }
    SmallMatrix<W> projection, coupling;
    width = settle(locked, given, false, projection, coupling);
    sound_ = width >= 0;
    width = std::max(width, 0);
  }
  append_random(locked + width, wanted - width);
  width = wanted;
}

template <class T>
void BlockLanczos<T>::step() {
  const int from = dimension, count = width, k = from + count;
  Vectors<const T> x;
  if (v.narrow()) {
    for (int c = 0; c < count; ++c) v.take_out(queue, from + c, u.data() + c * v.stride());
    x = vectors(u, count);
  } else {
    x = Vectors<const T>(queue.device(), v.vector(from), n, count, v.stride());
  }
  a.apply(queue, {.x = x, .y = vectors(w, count)});
  products += count;
  bytes += a.traffic(count).total();
  SmallMatrix<W> projection, coupling;
  const int left = settle(k, count, false, projection, coupling);
  if (left < 0) {
    sound_ = false;
    return;
  }
  width = static_cast<int>(std::min<std::int64_t>(block, global - k));
  const int known = std::min(left, width);
  append_random(k + known, width - known);
  for (int c = 0; c < count; ++c) {
    for (int i = 0; i < k; ++i) h_(i, from + c) = projection(i, c);
    for (int i = 0; i < width; ++i) h_(k + i, from + c) = i < known ? coupling(i, c) : W{};
  }
  dimension = k;
}

template <class T>
bool BlockLanczos<T>::fill(int most) {
  while (sound_ && width > 0 && dimension + width <= max_vectors && products < most) step();
  return sound_;
}

template <class T>
RitzPairs<Wide<T>> BlockLanczos<T>::ritz(EigenOrder order) const {
  const int count = dimension - locked;
  std::vector<W> matrix;
  for (int j = locked; j < dimension; ++j)
    for (int i = locked; i < dimension; ++i) matrix.push_back(h_(i, j));
  const SmallEigen<W> eigen = small_eigen(count, std::move(matrix));
  std::vector<int> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  const auto value = [&](int k) { return eigen.values[static_cast<std::size_t>(k)]; };
  std::stable_sort(places.begin(), places.end(),
                   [&](int l, int r) { return order_key(order, value(l)) < order_key(order, value(r)); });
  RitzPairs<W> pairs;
  for (const int k : places) {
    const W* y = eigen.vectors.data() + k * count;
    pairs.values.push_back(value(k));
    pairs.vectors.insert(pairs.vectors.end(), y, y + count);
    double square = 0;
    for (int i = 0; i < width; ++i) {
      W sum{};
      for (int j = 0; j < count; ++j) sum = multiply_add(h_(dimension + i, locked + j), y[j], sum);
      square += norm_square(sum);
    }
    pairs.residuals.push_back(std::sqrt(square));
  }
  return pairs;
}

template <class T>
double BlockLanczos<T>::beyond() const {
  double square = 0;
  for (int j = locked; j < dimension; ++j)
    for (int i = 0; i < width; ++i) square += norm_square(h_(dimension + i, j));
  return std::sqrt(square);
}

template <class T>
void BlockLanczos<T>::rotate(int first, int from, int to, const std::vector<W>& y) {
  copy_bytes(queue, queue.device(), rotation_.data(), Device::host(), y.data(),
             static_cast<std::size_t>(from * to) * sizeof(W));
  v.rotate(queue, first, from, to, rotation_.data());
  queue.wait();
  bytes += static_cast<double>(v.vector_bytes()) * (from + to);
}

template <class T>
void BlockLanczos<T>::restart(const RitzPairs<W>& pairs, int keep) {
  const int count = active();
  SmallMatrix<W> below(width, keep);
  for (int c = 0; c < keep; ++c)
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < count; ++j)
        below(i, c) = multiply_add(h_(dimension + i, locked + j),
                                   pairs.vectors[static_cast<std::size_t>(c * count + j)], below(i, c));
  rotate(locked, count, keep, pairs.vectors);
  for (int i = 0; keep < count && i < width; ++i) v.copy(queue, dimension + i, locked + keep + i, 1);
  std::fill(h_.values.begin(), h_.values.end(), W{});
  for (int c = 0; c < keep; ++c) {
    h_(locked + c, locked + c) = pairs.values[static_cast<std::size_t>(c)] * one<W>();
    for (int i = 0; i < width; ++i) h_(locked + keep + i, locked + c) = below(i, c);
  }
  dimension = locked + keep;
}

template <class T>
void BlockLanczos<T>::lock(const RitzPairs<W>& pairs, int count, EigenOrder order, int most) {
  rotate(locked, active(), count, pairs.vectors);
  locked_values.insert(locked_values.end(), pairs.values.begin(), pairs.values.begin() + count);
  const int all = locked + count, stay = std::min(all, most);
  std::vector<int> places(static_cast<std::size_t>(all));
  std::iota(places.begin(), places.end(), 0);
  const auto key = [&](int k) { return order_key(order, locked_values[static_cast<std::size_t>(k)]); };
  std::stable_sort(places.begin(), places.end(), [&](int l, int r) { return key(l) < key(r); });
  if (!std::is_sorted(places.begin(), places.end())) {
    std::vector<W> y(static_cast<std::size_t>(all * stay));
    std::vector<double> values;
    for (int c = 0; c < stay; ++c) {
      const int from = places[static_cast<std::size_t>(c)];
      y[static_cast<std::size_t>(c * all + from)] = one<W>();
      values.push_back(locked_values[static_cast<std::size_t>(from)]);
    }
    rotate(0, all, stay, y);
    locked_values = std::move(values);
  }
  locked_values.resize(static_cast<std::size_t>(stay));
  locked = dimension = stay;
}

template class BlockLanczos<float>;
template class BlockLanczos<double>;
template class BlockLanczos<std::complex<float>>;
template class BlockLanczos<std::complex<double>>;

}  // namespace millrace::detail
