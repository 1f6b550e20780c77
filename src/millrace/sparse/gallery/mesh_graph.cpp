// Which points of an irregular mesh are neighbours.
#include "millrace/sparse/gallery/mesh_graph.hpp"

#include "millrace/sparse/gallery/random.hpp"

namespace millrace::gallery {
namespace {

struct Step {
  std::int64_t x, y, z, distance;
};

/// The half of the neighbourhood with higher numbers, nearest first.
std::vector<Step> forward_steps(MeshShape shape) {
  const std::int64_t r = shape.radius, depth = shape.dimension == 3 ? r : 0;
  std::vector<Step> steps;
  for (std::int64_t z = 0; z <= depth; ++z)
    for (std::int64_t y = z > 0 ? -r : 0; y <= r; ++y)
      for (std::int64_t x = z > 0 || y > 0 ? -r : 1; x <= r; ++x) steps.push_back({x, y, z, x * x + y * y + z * z});
  std::stable_sort(steps.begin(), steps.end(), [](Step a, Step b) { return a.distance < b.distance; });
  return steps;
}

std::int64_t root(std::int64_t n, int degree) {  // the largest s with s^degree <= n
  std::int64_t s = 1;
  while ((degree == 2 ? (s + 1) * (s + 1) : (s + 1) * (s + 1) * (s + 1)) <= n) ++s;
  return s;
}

class Linker {
 public:
  Linker(std::span<const Index> lengths, MeshShape shape, std::uint64_t seed)
      : lengths_(lengths), steps_(forward_steps(shape)), random_(seed, 4), have_(lengths.size(), 1) {
    const std::int64_t n = std::ssize(lengths);
    nx_ = root(n, shape.dimension);
    ny_ = shape.dimension == 3 ? nx_ : (n + nx_ - 1) / nx_;
    std::int64_t total = 0;
    for (const Index length : lengths) total += length - 1;
    edges_.reserve(static_cast<std::size_t>(total / 2));
  }

  std::vector<Edge> run() {
    const auto [shortest, longest] = std::minmax_element(lengths_.begin(), lengths_.end());
    const auto n = static_cast<Index>(lengths_.size());
    for (Index i = 0; i < n; ++i) link_forward(i);
    num_sorted_ = std::ssize(edges_);
    for (Index i = 0; i < n; ++i)
      if (have(i) < *shortest) mend(i, *shortest, *longest);
    return std::move(edges_);
  }

 private:
  Index& have(Index i) { return have_[static_cast<std::size_t>(i)]; }
  Index wanted(Index i) const { return lengths_[static_cast<std::size_t>(i)]; }

  void link(Index i, Index j) {
    edges_.push_back({i, j});
    ++have(i);
    ++have(j);
  }

  /// Nearest first, but a quarter of the steps are left for a second round: that makes it irregular.
  void link_forward(Index i) {
    const std::int64_t n = std::ssize(lengths_), x = i % nx_, y = i / nx_ % ny_;
    for (const bool second_round : {false, true}) {
      std::uint64_t dice = 0;
      for (std::size_t k = 0; k < steps_.size() && have(i) < wanted(i); ++k) {
        if (k % 32 == 0) dice = random_.bits(i, static_cast<std::int64_t>(k));
        const bool later = (dice >> (2 * (k % 32)) & 3) == 0;
        const Step& step = steps_[k];
        if (later != second_round || x + step.x < 0 || x + step.x >= nx_ || y + step.y < 0 || y + step.y >= ny_)
          continue;
        const std::int64_t j = i + step.x + nx_ * (step.y + ny_ * step.z);
        if (j < n && have(static_cast<Index>(j)) < wanted(static_cast<Index>(j))) link(i, static_cast<Index>(j));
      }
    }
  }

  /// A point that nobody had room for takes links from the nearest numbers that may still grow.
  void mend(Index i, Index shortest, Index longest) {
    const auto n = static_cast<Index>(lengths_.size());
    for (Index distance = 1; distance < n && have(i) < shortest; ++distance)
      for (const std::int64_t j : {std::int64_t{i} - distance, std::int64_t{i} + distance}) {
        if (j < 0 || j >= n || have(i) >= shortest) continue;
        const auto other = static_cast<Index>(j);
        if (have(other) < longest && !linked(i, other)) link(std::min(i, other), std::max(i, other));
      }
  }
  bool linked(Index i, Index j) const {
    const auto is_it = [a = std::min(i, j), b = std::max(i, j)](Edge edge) { return edge.a == a && edge.b == b; };
    const auto later = edges_.begin() + num_sorted_;
    const auto first = std::partition_point(edges_.begin(), later, [&](Edge edge) { return edge.a < std::min(i, j); });
    const auto last = std::partition_point(first, later, [&](Edge edge) { return edge.a == std::min(i, j); });
    return std::any_of(first, last, is_it) || std::any_of(later, edges_.end(), is_it);
  }

  std::span<const Index> lengths_;
  std::vector<Step> steps_;
  Random random_;
  std::vector<Index> have_;  // [num_points], links so far and the diagonal
  std::int64_t nx_ = 1, ny_ = 1;
  std::vector<Edge> edges_;        // those made by link_forward come first, ascending in a
  std::ptrdiff_t num_sorted_ = 0;  // their number
};

}  // namespace

std::vector<Index> draw_lengths(Index num_rows, std::span<const Share> shares, std::uint64_t seed) {
  const Random random(seed, 5);
  std::int64_t total = 0;
  for (const Share share : shares) total += share.weight;
  std::vector<Index> lengths(static_cast<std::size_t>(num_rows));
  for (Index r = 0; r < num_rows; ++r) {
    std::int64_t left = random.below(total, r);
    std::size_t k = 0;
    while (left >= shares[k].weight) left -= shares[k++].weight;
    lengths[static_cast<std::size_t>(r)] = shares[k].length;
  }
  const auto by_length = [](Share a, Share b) { return a.length < b.length; };
  lengths[lengths.size() / 3] = std::max_element(shares.begin(), shares.end(), by_length)->length;
  lengths[lengths.size() * 2 / 3] = std::min_element(shares.begin(), shares.end(), by_length)->length;
  return lengths;
}

std::vector<Edge> mesh_edges(std::span<const Index> lengths, MeshShape shape, std::uint64_t seed) {
  return Linker(lengths, shape, seed).run();
}

}  // namespace millrace::gallery
