// The promises of a product, as functions of the device; one test a promise and device calls them.
#pragma once

#include <thread>

#include "support.hpp"

namespace millrace::testing {

/// x and y of `num` vectors with a gap between them that must stay untouched.
template <class T>
struct Case {
  Csr<T> a;
  Op op = Op::none;
  T alpha{1}, beta{0};
  int num = 1;
};

template <class T>
std::vector<T> run(const SparseMatrix<T>& m, Queue& queue, const Case<T>& c, std::span<const T> x, std::span<const T> y,
                   std::int64_t x_stride, std::int64_t y_stride) {
  const Device device = queue.device();
  const Array<T> x_there = Array<T>(x).to(device);
  Array<T> y_there = Array<T>(y).to(device);
  const auto [rows, cols] = m.shape();
  const bool plain = c.op == Op::none;
  m.apply(queue, {.alpha = c.alpha,
                  .x = {device, x_there.data(), plain ? cols : rows, c.num, x_stride},
                  .beta = c.beta,
                  .y = {device, y_there.data(), plain ? rows : cols, c.num, y_stride},
                  .op = c.op});
  queue.wait();
  return y_there.to_vector();
}

template <class T>
void check_product(const Case<T>& c, Device device, bool with_plan,
                   const std::vector<std::string>& specs = format_specs()) {
  constexpr RealOf<T> nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  Queue queue(device);
  const bool plain = c.op == Op::none;
  const std::int64_t x_size = plain ? c.a.num_cols : c.a.num_rows, y_size = plain ? c.a.num_rows : c.a.num_cols;
  const std::int64_t x_stride = x_size + 3, y_stride = y_size + 5;
  std::vector<T> x = random_vector<T>(x_stride * c.num, 11), y = random_vector<T>(y_stride * c.num, 12);
  if (c.beta == T{0}) std::fill(y.begin(), y.end(), T(nan));
  std::vector<T> x_with_inf = x;
  if (plain) {  // an entry of x that no row references must not matter, not even in padding
    std::vector<bool> used(static_cast<std::size_t>(x_size));
    for (const Index col : c.a.cols.span()) used[static_cast<std::size_t>(col)] = true;
    for (std::size_t i = 0; i < used.size(); ++i)
      for (int v = 0; v < c.num; ++v)
        if (!used[i])
          x_with_inf[static_cast<std::size_t>(v * x_stride) + i] = T(std::numeric_limits<RealOf<T>>::infinity());
  }
  const std::vector<T> x_finite = x;
  const auto part = [](const std::vector<T>& all, int v, std::int64_t stride, std::int64_t size) {
    return std::span<const T>(all).subspan(static_cast<std::size_t>(v * stride), static_cast<std::size_t>(size));
  };
  std::vector<Expected<T>> expected;
  for (int v = 0; v < c.num; ++v)
    expected.push_back(
        reference<T>(c.a, c.op, c.alpha, part(x, v, x_stride, x_size), c.beta, part(y, v, y_stride, y_size)));
  for (const std::string& spec : specs) {
    if (!can_live_on(spec, device)) continue;
    std::optional<SparseMatrix<T>> made = in_format(c.a, spec);
    if (!made) continue;
    SparseMatrix<T> m = std::move(*made);
    x = fills_up(m) ? x_finite : x_with_inf;
    if (with_plan) m.prepare_transpose();
    if (!device.on_host()) m = m.to(device);
    const std::string what = join(spec, " on ", to_string(device), ", ", c.a.num_rows, " x ", c.a.num_cols, ", ", c.num,
                                  " vectors, op ", static_cast<int>(c.op));
    const std::vector<T> found = run<T>(m, queue, c, x, y, x_stride, y_stride);
    EXPECT_TRUE(same_bits<T>(found, run<T>(m, queue, c, x, y, x_stride, y_stride))) << what << ": not repeatable";
    for (int v = 0; v < c.num; ++v) {
      expect_within<T>(expected[static_cast<std::size_t>(v)], part(found, v, y_stride, y_size),
                       join(what, ", vector ", v));
      const auto gap = [&](const std::vector<T>& all) {
        return std::span<const T>(all).subspan(static_cast<std::size_t>(v * y_stride + y_size), 5);
      };
      EXPECT_TRUE(same_bits<T>(gap(found), gap(y))) << what << ": wrote between the vectors";
    }
  }
}

/// Sizes 0, 1 and one each side of 32, the slice and the block.
template <class T>
void check_sizes(Device device) {
  for (const Index rows : {0, 1, 31, 32, 33, 255, 256, 257})
    for (const Index cols : {0, 1, 40})
      check_product<T>({random_csr<T>(rows, cols, 5, 7u + static_cast<unsigned>(rows))}, device, false);
  for (const Index rows : {1, 7, 8, 9, 63, 64, 65, 257})
    for (const Index cols : {1, 64, 250}) check_product<T>({banded_csr<T>(rows, cols, 5, 8)}, device, false);
  check_product<T>({banded_csr<T>(5000, 5000, 4, 9)}, device, false);
  check_product<T>({random_csr<T>(3000, 2000, 20, 3)}, device, false);
  check_product<T>({random_csr<T>(200, 5000, 200, 4)}, device, false);
  check_product<T>({random_csr<T>(2000, 9000, 1, 5, 700)}, device, false);  // one full row
}

template <class T>
void check_scalars(Device device) {
  const Csr<T> a = random_csr<T>(130, 90, 6, 21, 17);
  for (const T alpha : {T{0}, T{1}, T(RealOf<T>(-2.5))})
    for (const T beta : {T{0}, T{1}, T(RealOf<T>(0.75))})
      check_product<T>({a.clone(), Op::none, alpha, beta}, device, false);
  if constexpr (is_complex<T>) check_product<T>({a.clone(), Op::none, T(1, 2), T(-1, RealOf<T>(0.5))}, device, false);
}

template <class T>
void check_transposes(Device device, bool with_plan) {
  for (const Op op : {Op::transpose, Op::conjugate_transpose}) {
    check_product<T>({random_csr<T>(130, 90, 6, 31, 17), op, T(RealOf<T>(1.5)), T(RealOf<T>(-0.5)), 3}, device,
                     with_plan);
    check_product<T>({random_csr<T>(0, 7, 6, 32), op}, device, with_plan);
    check_product<T>({random_csr<T>(7, 0, 6, 33), op}, device, with_plan);
    check_product<T>({random_csr<T>(4000, 300, 12, 34), op}, device, with_plan);
    check_product<T>({banded_csr<T>(150, 147, 6, 35), op, T(RealOf<T>(1.5)), T(RealOf<T>(-0.5)), 2}, device, with_plan);
  }
}

template <class T>
void check_several_vectors(Device device) {
  for (const int num : {0, 1, 2, 4, 5, 9}) {
    check_product<T>({random_csr<T>(257, 120, 7, 41, 3), Op::none, T{1}, T{1}, num}, device, false);
    check_product<T>({banded_csr<T>(131, 131, 4, 42), Op::none, T{1}, T{1}, num}, device, false);
  }
}

/// Dense blocks of all kinds of sizes, for which 8 or 16 vectors may share a pass: blocks that reach beyond the last
/// row and column, block rows with padding and without, a row at the edge of a tile.
template <class T>
void check_several_vectors_of_blocks(Device device) {
  const auto check = [&](const Csr<T>& a, const std::string& spec, int num) {
    EXPECT_TRUE(in_format(a, spec)) << spec;
    const bool plain = num % 2 == 0;  // y is not read
    const T alpha = T(RealOf<T>(plain ? 1 : -2.5)), beta = T(RealOf<T>(plain ? 0 : 0.75));
    check_product<T>({a.clone(), Op::none, alpha, beta, num}, device, false, {spec});
  };
  // Complex numbers have no kernel of their own here, and a slow reference.
  const std::vector<int> nums = is_complex<T> ? std::vector{9} : std::vector{8, 12, 16, 17, 31};
  for (const int num : nums) {
    for (const Index b : {3, 8, 9, 17, 31, 32})
      for (const Index cols : {128, 131}) check(banded_csr<T>(cols + 2, cols, b, 43), join("bsr-", b), num);
    for (const Index m : {8, 11, 12, 15, 24, 32, 33, 70})
      for (const char* ending : {"", "-apart"})
        check(banded_csr<T>(6 * m, 6 * m, m + 2, 44), join("dbf-", m, ending), num);
  }
  for (const Index m : {20, 24, 28, 30, 50, 75, 105, 211, 225, 275, 330})  // one at a time, with all of x and without
    for (const char* format : {"dbf-", "bsr-"})
      if (format[0] == 'd' || m <= 32) check(banded_csr<T>(4 * m, 4 * m, m + 2, 45), join(format, m), 1);
}

/// New values on the same pattern give the same matrix as building it anew.
template <class T>
void check_update_values(Device device) {
  const auto with_new_values = [](const Csr<T>& old) {
    Csr<T> b = old.clone();
    b.vals.assign(std::span<const T>(random_vector<T>(b.num_entries(), 99)));
    return b;
  };
  const Csr<T> a = random_csr<T>(300, 300, 6, 51), banded = banded_csr<T>(300, 300, 6, 52), b = with_new_values(a);
  Queue queue(device);
  for (const std::string& spec : format_specs()) {
    if (!can_live_on(spec, device)) continue;
    std::optional<SparseMatrix<T>> made = in_format(a, spec);
    const Csr<T>& old = made ? a : banded;  // what no format of the list refuses
    const Csr<T> next = with_new_values(old);
    SparseMatrix<T> m = SparseMatrix<T>(old, spec).to(device);
    m.update_values(queue, next.to(device));
    queue.wait();
    expect_same(fills_up(m) ? sort_rows(next) : next.clone(), m.to_csr(), spec);
    m.update_values(queue, old.to(device), trust);
    queue.wait();
    expect_same(fills_up(m) ? sort_rows(old) : old.clone(), m.to_csr(), spec + ", trusted");
  }
  SparseMatrix<T> permuted = SparseMatrix<T>(Sell<T>::make_reordered(a, "sell-32-128")).to(device);
  permuted.update_values(queue, b.to(device));
  queue.wait();
  expect_same(b, permuted.to_csr(), "reordered vectors");
}

/// With reordered vectors: x and y in the order of permutation(), the same numbers otherwise.
template <class T>
void check_reordered_vectors(Device device) {
  const Csr<T> a = random_csr<T>(500, 500, 8, 61);
  Queue queue(device);
  const SparseMatrix<T> m = SparseMatrix<T>(Sell<T>::make_reordered(a, "sell-32-256")).to(device);
  ASSERT_NE(m.permutation(), nullptr);
  const std::vector<Index> order = m.permutation()->to_vector();
  const std::vector<T> x = random_vector<T>(500, 62);
  std::vector<T> px(500), y(500), nothing(500);
  for (std::size_t i = 0; i < 500; ++i) px[i] = x[static_cast<std::size_t>(order[i])];
  const Array<T> x_there = Array<T>(std::span<const T>(px)).to(device);
  Array<T> y_there(device, 500);
  m.apply(queue, {.x = x_there, .y = y_there});
  queue.wait();
  const std::vector<T> py = y_there.to_vector();
  for (std::size_t i = 0; i < 500; ++i) y[static_cast<std::size_t>(order[i])] = py[i];
  expect_within<T>(reference<T>(a, Op::none, T{1}, x, T{0}, nothing), y, "reordered vectors");
}

/// A user's CSR arrays, used where they are: a change of the values is seen by the next product.
template <class T, class RowOffset>
void check_wrapping(Device device) {
  const Csr<T> a = random_csr<T>(77, 60, 5, 71);
  std::vector<RowOffset> row_ptr;
  for (Index r = 0; r <= 77; ++r) row_ptr.push_back(static_cast<RowOffset>(a.row_begin(r)));
  const Array<RowOffset> offsets = Array<RowOffset>(std::span<const RowOffset>(row_ptr)).to(device);
  const Array<Index> cols = a.cols.to(device);
  Array<T> vals = a.vals.to(device);
  const auto constant = [](const auto& array) { return array.device_span(); };
  SparseMatrix<T> m(Csr<T>::wrap(77, 60, constant(offsets), constant(cols), constant(std::as_const(vals))));
  Queue queue(device);
  const std::vector<T> x = random_vector<T>(60, 72), nothing(77);
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(device);
  Array<T> y(device, 77);
  m.apply(queue, {.x = x_there, .y = y});
  queue.wait();
  expect_within<T>(reference<T>(a, Op::none, T{1}, x, T{0}, nothing), y.to_vector(), "wrapped");
  Csr<T> b = a.clone();
  b.vals.assign(std::span<const T>(random_vector<T>(b.num_entries(), 73)));
  vals.assign(std::as_const(b.vals).device_span());
  m.apply(queue, {.x = x_there, .y = y});
  queue.wait();
  expect_within<T>(reference<T>(b, Op::none, T{1}, x, T{0}, nothing), y.to_vector(), "wrapped, new values");
  const std::string text = error_of([&] { m.update_values(queue, b.to(device)); });
  EXPECT_NE(text.find("the caller's own arrays"), std::string::npos) << text;
}

/// The dot products that come with a product.
template <class T>
void check_dot_of(Queue& queue, const SparseMatrix<T>& m, int num, DotWith with) {
  using Wide = typename Expected<T>::Wide;
  const std::int64_t n = m.shape().rows;
  const Device device = queue.device();
  const Array<T> x = Array<T>(std::span<const T>(random_vector<T>(static_cast<Index>(num * n), 82))).to(device);
  Array<T> y(device, num * n), dots(device, num);
  m.apply(queue, {.x = {x, num}, .y = {y, num}, .dot = with, .dot_result = dots.data()});
  queue.wait();
  const std::vector<T> xs = x.to_vector(), ys = y.to_vector(), found = dots.to_vector();
  for (int v = 0; v < num; ++v) {
    Wide sum{};
    double magnitude = 0;  // of the bound: double is exact enough, and long double slow where software does it
    for (auto i = static_cast<std::size_t>(v * n); i < static_cast<std::size_t>((v + 1) * n); ++i) {
      Wide left(with == DotWith::x ? xs[i] : ys[i]);
      if constexpr (is_complex<T>) left = std::conj(left);
      sum += left * Wide(ys[i]);
      magnitude += static_cast<double>(std::abs(with == DotWith::x ? xs[i] : ys[i])) * std::abs(ys[i]);
    }
    EXPECT_LE(std::abs(Wide(found[static_cast<std::size_t>(v)]) - sum),
              static_cast<long double>(4 * n + 2) * std::numeric_limits<RealOf<T>>::epsilon() * magnitude)
        << m.format_name() << ", " << n << " rows, " << num << " vectors";
  }
}

/// Dot products beside a product, by formats that fuse them and by others; on a GPU of one group of thread blocks, and
/// of several.
template <class T>
void check_dot(Device device) {
  Queue queue(device);
  for (const Index n : {1, 300, 70000}) {
    const Csr<T> a = banded_csr<T>(n, n, 5, 81);
    for (const char* format : {"csr", "dia", "dia-32", "ellr", "sell-32-64", "sell-32-1-rcm", "pjds", "hyb"}) {
      const SparseMatrix<T> m = SparseMatrix<T>(a, format).to(device);
      for (const DotWith with : {DotWith::x, DotWith::result})
        for (const int num : {1, 2}) check_dot_of(queue, m, num, with);
    }
  }
}

/// One matrix, several threads with a queue each: all get the bits of a product alone.
template <class T>
void check_concurrent_queues(Device device) {
  const Index n = 3000;
  const Csr<T> a = random_csr<T>(n, n, 9, 95), banded = banded_csr<T>(n, n, 9, 97);
  const Array<T> x = Array<T>(std::span<const T>(random_vector<T>(n, 96))).to(device);
  const std::vector<T> nothing(n);
  const auto product_of = [&](const Csr<T>& b) {
    return reference<T>(b, Op::none, T{1}, x.to_vector(), T{0}, nothing);
  };
  const Expected<T> expected = product_of(a), expected_of_banded = product_of(banded);
  for (const std::string& spec : format_specs()) {
    if (!can_live_on(spec, device)) continue;
    const std::optional<SparseMatrix<T>> made = in_format(a, spec);
    const SparseMatrix<T> m = made ? made->to(device) : SparseMatrix<T>(banded, spec).to(device);
    std::vector<std::vector<T>> found(4);
    std::vector<std::thread> threads;
    for (std::vector<T>& mine : found)
      threads.emplace_back([&] {
        Queue queue(device, 1);
        Array<T> y(device, n);
        for (int i = 0; i < 20; ++i) m.apply(queue, {.x = x, .y = y});
        queue.wait();
        mine = y.to_vector();
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<T>& other : found) EXPECT_TRUE(same_bits<T>(found[0], other)) << spec;
    expect_within<T>(made ? expected : expected_of_banded, found[0], spec);
  }
}

}  // namespace millrace::testing
