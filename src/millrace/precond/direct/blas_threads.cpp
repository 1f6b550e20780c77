// Which BLAS is loaded is known when the program runs, so its functions are looked up there.
#include "millrace/precond/direct/blas_threads.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "millrace/base/loaded_function.hpp"
#include "millrace/base/parallel.hpp"

namespace millrace::detail {
namespace {

struct Library {
  int (*get)() = nullptr;
  void (*set)(int) = nullptr;

  static Library loaded() {
    for (const auto& [get, set] : {std::pair("openblas_get_num_threads", "openblas_set_num_threads"),
                                   std::pair("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
                                   std::pair("MKL_Get_Max_Threads", "MKL_Set_Num_Threads")})
      if (const Library found{loaded_function<int (*)()>(get), loaded_function<void (*)(int)>(set)};
          found.get && found.set)
        return found;
    return {};
  }
};

// BLAS counts its threads for the whole process, so those who limit it at once share one limit.
struct Limits {
  std::mutex mutex{};
  int users = 0, before = 0;
};

const Library& blas() {
  static const Library library = Library::loaded();
  return library;
}
const Library& openmp() {  // counts for the thread that calls
  static const Library library{loaded_function<int (*)()>("omp_get_max_threads"),
                               loaded_function<void (*)(int)>("omp_set_num_threads")};
  return library;
}
Limits& limits() {
  static Limits all;
  return all;
}

}  // namespace

BlasThreads::BlasThreads(int num_threads) {
  if (openmp().get && openmp().set) {
    before_omp_ = openmp().get();
    if (before_omp_ != num_threads) openmp().set(num_threads);
  }
  if (!blas().set) return;
  const std::lock_guard lock(limits().mutex);
  const int now = blas().get();
  if (limits().users++ == 0) limits().before = now;
  const int wanted = limits().users == 1 ? num_threads : std::min(now, num_threads);
  if (wanted != now) blas().set(wanted);
}

BlasThreads BlasThreads::for_work(double flops) {
  constexpr double pays = 2e8;  // some 50 ms on one thread; direct-40 of thread_rows.py, far below, was slower with two
  return BlasThreads(flops < pays || cores_are_wanted() ? 1 : default_num_threads());
}

BlasThreads::~BlasThreads() {
  if (before_omp_ > 0) openmp().set(before_omp_);
  if (!blas().set) return;
  const std::lock_guard lock(limits().mutex);
  if (--limits().users == 0 && blas().get() != limits().before) blas().set(limits().before);
}

int BlasThreads::now() { return blas().get ? blas().get() : 0; }

}  // namespace millrace::detail
