// Dense blocks and diagonals on host threads.
#include "millrace/sparse/convert/blocks.hpp"

#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/dia.hpp"
#include "millrace/sparse/convert/run.hpp"

namespace millrace {

template <class T>
Bsr<T> Bsr<T>::from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  return convert::run<Bsr>(queue, a, spec, trusted);
}

template <class T>
Dia<T> Dia<T>::from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  return convert::run<Dia>(queue, a, spec, trusted);
}

template <class T>
BlockPattern make_block_pattern(std::string_view what, const Csr<T>& a, Index size) {
  const convert::HostSteps steps{Queue()};
  return convert::find_pattern(steps, convert::block_source(steps, what, convert::rows_of(a)), size);
}

#define MILLRACE_INSTANTIATE(T)                                                      \
  template Bsr<T> Bsr<T>::from_csr(Queue&, const Csr<T>&, const FormatSpec&, Trust); \
  template Dia<T> Dia<T>::from_csr(Queue&, const Csr<T>&, const FormatSpec&, Trust); \
  template BlockPattern make_block_pattern(std::string_view, const Csr<T>&, Index)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
