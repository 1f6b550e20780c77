// The steps of conversions on host threads. Results do not depend on the number of threads.
#pragma once

#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/convert/steps.hpp"

namespace millrace::convert {

class HostSteps {
 public:
  static constexpr bool few_threads = true;

  explicit HostSteps(const Queue& queue) : num_threads_(queue.num_threads()) {}
  explicit HostSteps(int num_threads) : num_threads_(num_threads) {}

  static Device device() { return Device::host(); }
  int num_threads() const { return num_threads_; }

  template <class U>
  Array<U> make(Offset size) const {
    return Array<U>(size);
  }
  template <class U>
  Array<U> scratch(Offset size) const {
    return Array<U>(size);
  }

  template <class F>
  void for_each(Offset n, F f) const {
    parallel_for(num_threads_, n, [&](Offset begin, Offset end) {
      for (Offset i = begin; i < end; ++i) f(i);
    });
  }
  /// Threads take whole groups, with about as many items each.
  template <Groups G, class F>
  void for_each_in(const G& groups, F f) const {
    parallel(threads_for(groups.num_items()), [&](int thread, int count) {
      const auto [first, last] = part_of(groups, thread, count);
      for (Offset g = first; g < last; ++g)
        for (Offset i = groups.begin(g), end = groups.begin(g + 1); i < end; ++i) f(g, i);
    });
  }

  template <class F>
  Offset sum(Offset n, F f) const {
    return fold(
        n, Offset{0}, [](Offset a, Offset b) { return a + b; }, f);
  }
  template <class F>
  Offset max(Offset n, F f) const {
    return fold(
        n, Offset{0}, [](Offset a, Offset b) { return std::max(a, b); }, f);
  }
  /// A thread stops at the first of its own; the smallest of them counts.
  template <class F>
  Offset first(Offset n, F f) const {
    if (n <= 0) return n < 0 ? 0 : n;
    std::atomic<Offset> found = n;
    parallel_for(num_threads_, n, [&](Offset begin, Offset end) {
      for (Offset i = begin; i < end; ++i)
        if (f(i)) return keep_smaller(found, i);
    });
    return found;
  }
  template <Groups G, class F>
  Offset first_in(const G& groups, F f) const {
    std::atomic<Offset> found = groups.num_items();
    parallel(threads_for(groups.num_items()), [&](int thread, int count) {
      const auto [begin, last] = part_of(groups, thread, count);
      for (Offset g = begin; g < last; ++g)
        for (Offset i = groups.begin(g), end = groups.begin(g + 1); i < end; ++i)
          if (f(g, i)) return keep_smaller(found, i);
    });
    return found;
  }
  template <class U>
  U read(const U* from) const {
    return *from;
  }

  /// Every thread sums its part, then adds what lies before it.
  void scan(Offset* values, Offset n) const {
    const Team threads = threads_for(n);
    std::vector<Offset> before(static_cast<std::size_t>(threads) + 1, 0);
    parallel(threads, [&](int thread, int count) {
      const auto [begin, end] = even_part(n, thread, count);
      std::partial_sum(values + begin, values + end, values + begin);
      before[static_cast<std::size_t>(thread) + 1] = begin < end ? values[end - 1] : 0;
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    if (threads > 1)
      parallel(threads, [&](int thread, int count) {
        const auto [begin, end] = even_part(n, thread, count);
        const Offset add = before[static_cast<std::size_t>(thread)];
        for (Offset i = begin; add != 0 && i < end; ++i) values[i] += add;
      });
  }

  void sort(Array<Key>& keys, Key max_key) const { radix_sort<false>(keys, nullptr, max_key); }
  void sort(Array<Key>& keys, Array<Place>& places, Key max_key) const { radix_sort<true>(keys, &places, max_key); }

 private:
  Team threads_for(Offset items) const { return millrace::threads_for(num_threads_, items, {.bytes = 32}); }
  template <Groups G>
  static std::pair<Offset, Offset> part_of(const G& groups, int thread, int count) {
    const auto first_of = [&](int t) {
      const Offset wanted = even_part(groups.num_items(), t, count).first;
      return t == 0 ? 0
                    : first_where(Offset{0}, groups.num_groups(), [&](Offset g) { return groups.begin(g) >= wanted; });
    };
    return {first_of(thread), thread + 1 == count ? groups.num_groups() : first_of(thread + 1)};
  }
  static void keep_smaller(std::atomic<Offset>& found, Offset i) {
    for (Offset now = found; i < now && !found.compare_exchange_weak(now, i);) {
    }
  }
  template <class Join, class F>
  Offset fold(Offset n, Offset start, Join join, F f) const {
    const Team threads = threads_for(n);
    std::vector<Offset> parts(static_cast<std::size_t>(threads), start);
    parallel(threads, [&](int thread, int count) {
      const auto [begin, end] = even_part(n, thread, count);
      Offset value = start;
      for (Offset i = begin; i < end; ++i) value = join(value, static_cast<Offset>(f(i)));
      parts[static_cast<std::size_t>(thread)] = value;
    });
    return std::accumulate(parts.begin(), parts.end(), start, join);
  }

  // From the lowest digit up; a thread counts and places a part of its own, after those before it, so equal keys keep
  // their order.
  template <bool WithPlaces>
  void radix_sort(Array<Key>& keys, [[maybe_unused]] Array<Place>* places, Key max_key) const {
    constexpr int digit_bits = 11;
    constexpr std::size_t num_digits = std::size_t{1} << digit_bits;
    const Offset n = keys.size();
    if (n < 2) return;
    Array<Key> other_keys(n);
    Array<Place> other_places(WithPlaces ? n : 0);
    const Team threads = millrace::threads_for(num_threads_, n, {.bytes = 8});
    std::vector<std::array<Offset, num_digits>> next(static_cast<std::size_t>(threads));
    for (int shift = 0; shift < static_cast<int>(std::bit_width(max_key)); shift += digit_bits) {
      const auto digit = [shift](Key key) { return static_cast<std::size_t>(key >> shift) & (num_digits - 1); };
      const Key* key = keys.data();
      parallel(threads, [&](int thread, int count) {
        auto& mine = next[static_cast<std::size_t>(thread)];
        mine.fill(0);
        const auto [begin, end] = even_part(n, thread, count);
        for (Offset i = begin; i < end; ++i) ++mine[digit(key[i])];
      });
      Offset before = 0;
      for (std::size_t d = 0; d < num_digits; ++d)
        for (auto& of_thread : next) before += std::exchange(of_thread[d], before);
      parallel(threads, [&](int thread, int count) {
        auto& mine = next[static_cast<std::size_t>(thread)];
        const auto [begin, end] = even_part(n, thread, count);
        for (Offset i = begin; i < end; ++i) {
          const Offset to = mine[digit(key[i])]++;
          other_keys.data()[to] = key[i];
          if constexpr (WithPlaces) other_places.data()[to] = places->data()[i];
        }
      });
      std::swap(keys, other_keys);
      if constexpr (WithPlaces) std::swap(*places, other_places);
    }
  }

  int num_threads_;
};

static_assert(Steps<HostSteps>);

}  // namespace millrace::convert
