// A contender of the benchmark: one way to compute y = A x on a queue, ours or a peer's, and what it holds.
// The makers below build one when its turn comes; destroying it frees its memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/bench/reference.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::bench {

/// What all contenders share: the matrix on the host, x and y on the device.
template <class T>
struct Problem {
  const Csr<T>& a;
  Queue& queue;
  Vectors<const T> x;  // [num_vectors, num_cols]
  Vectors<T> y;        // [num_vectors, num_rows]
};

struct ContenderFacts {
  std::string name{};    // "sell-32-1024", "cusparse csr alg2"
  std::string format{};  // "sell"
  bool own = true;
  bool ceiling = false;       // no product, but what bounds products; in no ratio between ours and peers
  bool deterministic = true;  // the same bits in every run, as its documentation promises
  std::string note{};
  Offset artificial_zeros = 0;
  std::int64_t format_bytes = 0;
  std::int64_t moved_bytes = 0;  // of them, what a product must read
  double value_rounding = 0;     // relative error of the stored values, when rounded ones were asked for

  bool peer() const { return !own && !ceiling; }
  const char* kind() const { return ceiling ? "ceiling" : own ? "own" : "peer"; }
};

template <class T>
struct Contender {
  ContenderFacts facts;
  /// Gives y = A x to the queue; a peer with vectors of its own brings y into the problem's in the first run only.
  std::function<void()> run;
  /// Of the last run, for a ceiling, which has no y; else y is compared with the reference.
  std::function<CheckResult()> check{};
};

template <class T>
struct Maker {
  std::string name;
  std::function<Contender<T>()> make;  // throws an Error when this contender cannot serve the problem
};
template <class T>
using Makers = std::vector<Maker<T>>;

/// Every format of the library as a user would write it, with the parameters worth comparing.
template <class T>
std::vector<std::string> format_choices();
/// The same for the word "all"; else the words themselves, each checked against the library's list.
template <class T>
std::vector<std::string> format_choices(const std::vector<std::string>& asked);

template <class T>
Makers<T> own_formats(const Problem<T>& problem, const std::vector<std::string>& formats);
template <class T>
Makers<T> plain_peers(const Problem<T>& problem);  // host
template <class T>
Makers<T> plain_bsr_peers(const Problem<T>& problem);  // host
template <class T>
Makers<T> eigen_peers(const Problem<T>& problem);  // host
template <class T>
Makers<T> graphblas_peers(const Problem<T>& problem);  // host
template <class T>
Makers<T> petsc_peers(const Problem<T>& problem);  // host
template <class T>
Makers<T> cusparse_peers(const Problem<T>& problem);  // GPU
template <class T>
Makers<T> cublas_peers(const Problem<T>& problem);  // GPU

/// The fastest that a product with 4-byte columns can be; a contender for one vector.
template <class T>
Makers<T> gather_ceiling(const Problem<T>& problem);

/// The peers that this build has for the problem's device.
template <class T>
Makers<T> peers(const Problem<T>& problem);

}  // namespace millrace::bench
