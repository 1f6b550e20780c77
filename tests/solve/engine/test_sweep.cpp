// Sweeps: every entry once, sums in a fixed tree, nothing when a step is not active; and no allocation in the loop.
#include <atomic>
#include <cstdlib>
#include <new>

#include "millrace/solve/engine/steps.hpp"
#include "solve/problems.hpp"

namespace {
std::atomic<std::int64_t> num_allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++num_allocations;
  if (void* data = std::malloc(bytes > 0 ? bytes : 1)) return data;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {  // sorting asks for it
  ++num_allocations;
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* data) noexcept { std::free(data); }
[[gnu::noinline]] void operator delete(void* data, std::size_t) noexcept { std::free(data); }

namespace millrace::testing {
namespace {

using namespace detail;

template <class A>
struct CountStep {  // y += x, the sum of x, and the number of entries
  using Sum = A;
  static constexpr int num_sums = 2;
  struct Entry {
    A x, y;
  };
  const A* x;
  A* y;
  A* result;
  bool on = true;
  bool active() const { return on; }
  Nothing coefficients() const { return {}; }
  Entry load(std::int64_t i) const { return {x[i], y[i]}; }
  void store(std::int64_t i, const Entry& e, Nothing, A* sums) const {
    y[i] = e.x + e.y;
    sums[0] += e.x;
    sums[1] += one<A>();
  }
  void finish(const A* sums) const {
    result[0] = sums[0];
    result[1] = sums[1];
  }
};

template <class A>
struct SkippedStep : CountStep<A> {
  void skip() const { this->result[1] = one<A>(); }
};

template <class T>
class Sweep : public ::testing::Test {};
TYPED_TEST_SUITE(Sweep, Scalars);

TYPED_TEST(Sweep, EveryEntryOnce) {
  using T = TypeParam;
  using A = Arith<T>;
  for (const std::int64_t n : {0, 1, 7, 8, 9, 4095, 4096, 4097, 40000}) {
    const std::vector<T> x = random_vector<T>(n, 1), y = random_vector<T>(n, 2);
    std::vector<A> first;
    for (const int threads : {1, 2, 3}) {
      Queue queue(Device::host(), threads);
      std::vector<T> z = y;
      std::vector<A> result(2);
      host::sweep(queue, Comm(), n, CountStep<A>{arith(x.data()), arith(z.data()), result.data()});
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(z[i], x[i] + y[i]) << n << ", entry " << i;
      T sum{};
      for (const T& value : x) sum += value;
      EXPECT_NEAR(std::abs(from_arith<T>(result[0]) - sum), 0, 1e-2 * (sizeof(RealOf<T>) == 4 ? 1 : 1e-8));
      EXPECT_EQ(from_arith<T>(result[1]), T(static_cast<RealOf<T>>(n)));
      if (first.empty()) first = result;
      EXPECT_TRUE(result == first) << n << " entries, " << threads << " threads";
    }
  }
}

TYPED_TEST(Sweep, NothingWhenNotActive) {
  using T = TypeParam;
  using A = Arith<T>;
  Queue queue;
  const std::vector<T> x(10, T(1));
  std::vector<T> y(10, T(2));
  std::vector<A> result(2, arith(T(7)));
  host::sweep(queue, Comm(), 10, CountStep<A>{arith(x.data()), arith(y.data()), result.data(), false});
  EXPECT_EQ(y, std::vector<T>(10, T(2)));
  EXPECT_EQ(from_arith<T>(result[0]), T(7));
  EXPECT_EQ(from_arith<T>(result[1]), T(7));
  for (const bool on : {false, true}) {
    host::sweep(queue, Comm(), 10, SkippedStep<A>{{arith(x.data()), arith(y.data()), result.data(), on}});
    EXPECT_EQ(from_arith<T>(result[1]), T(on ? 10 : 1))
        << "skip is called where the step is not active, and only there";
  }
}

/// A tridiagonal operator that fuses its dot product and allocates nothing.
template <class T>
class Stencil final : public Operator<T> {
 public:
  Shape shape() const override { return {20000, 20000}; }
  Traffic traffic(int, bool) const override { return {}; }
  bool fuses_dot() const override { return true; }

 private:
  void do_apply(Queue&, const ApplyRequest<T>& r) const override {
    T sum{};
    for (std::int64_t i = 0; i < r.x.size; ++i) {
      r.y.data[i] = T(3) * r.x.data[i];
      if (i > 0) r.y.data[i] -= r.x.data[i - 1];
      if (i + 1 < r.x.size) r.y.data[i] -= r.x.data[i + 1];
      if constexpr (is_complex<T>)
        sum += std::conj(r.x.data[i]) * r.y.data[i];
      else
        sum += r.x.data[i] * r.y.data[i];
    }
    if (r.dot != DotWith::none) *r.dot_result = sum;
  }
};

TYPED_TEST(Sweep, NoAllocationInTheLoop) {
  using T = TypeParam;
  const Stencil<T> a, m;
  const Identity<T> none(a);
  const std::vector<T> b = random_vector<T>(20000, 1);
  Queue queue(Device::host(), 1);
  for (const Case<T>& c : cases<T>())
    for (const Operator<T>* preconditioner :
         {static_cast<const Operator<T>*>(&none), static_cast<const Operator<T>*>(&m)}) {
      std::int64_t before = 0, during = 0;
      SolveOptions options{.tolerance = 0, .max_iterations = 8};
      options.monitor = [&](int iteration, double) {
        if (iteration == 2) before = num_allocations;
        if (iteration == 6) during = num_allocations - before;
        return true;
      };
      std::vector<T> x(20000);
      c.solver(queue, a, *preconditioner, b, x, options);
      EXPECT_EQ(during, 0) << c.name;
      EXPECT_GT(before, 0) << c.name;
    }
}

}  // namespace
}  // namespace millrace::testing
