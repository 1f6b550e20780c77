// Products of a matrix on a GPU against the host, the same bits every time, and in a graph.
#pragma once

#include "millrace/base/timer.hpp"
#include "on_gpu.hpp"
#include "support.hpp"

namespace millrace::testing {

/// y = alpha A x + beta y, three times each.
template <class T>
void expect_right_and_repeatable(const SparseMatrix<T>& m, const Csr<T>& a) {
  Queue queue(m.device());
  const std::vector<T> x = random_vector<T>(a.num_cols, 1);
  const Array<T> x_there = on_gpu(x);
  for (const auto& [alpha, beta] : {std::pair<T, T>{1, 0}, {T(-2.5), T(0.75)}, {0, 1}}) {
    const std::vector<T> y =
        beta == 0 ? std::vector<T>(static_cast<std::size_t>(a.num_rows), std::numeric_limits<T>::quiet_NaN())
                  : random_vector<T>(a.num_rows, 2);
    std::vector<std::vector<T>> found;
    for (int run = 0; run < 3; ++run) {
      Array<T> y_there = on_gpu(y);
      m.apply(queue, {.alpha = alpha, .x = x_there, .beta = beta, .y = y_there});
      queue.wait();
      found.push_back(y_there.to_vector());
    }
    expect_within<T>(reference<T>(a, Op::none, alpha, x, beta, y), found[0],
                     join(a.num_rows, " rows, alpha ", alpha, ", beta ", beta));
    EXPECT_TRUE(same_bits<T>(found[0], found[1]) && same_bits<T>(found[0], found[2]));
  }
}

/// Two products in a graph: the second meets the first one's counters.
template <class T>
void expect_capturable(const SparseMatrix<T>& m) {
  const auto [rows, cols] = m.shape();
  const Array<T> x = on_gpu(random_vector<T>(cols, 5));
  Array<T> y(m.device(), rows);
  Queue queue(m.device());
  const auto work = [&] {
    m.apply(queue, {.x = x, .y = y});
    m.apply(queue, {.x = x, .beta = T{1}, .y = y});
  };
  work();
  queue.wait();
  const std::vector<T> expected = y.to_vector();
  const Graph graph(queue, work);
  y.assign(std::span<const T>(std::vector<T>(static_cast<std::size_t>(rows), T{-1})));
  for (int i = 0; i < 3; ++i) graph.replay();
  queue.wait();
  EXPECT_TRUE(same_bits<T>(y.to_vector(), expected));
}

}  // namespace millrace::testing
