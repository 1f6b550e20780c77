// The host's schedules of the padded family: slices in vector registers, long columns in strips.
// They give every row the same order of summation as the generic schedule of bundles.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/sparse/format/padded.hpp"

namespace millrace::host {

template <class A, class S, class I>
  requires(!is_complex<A> && !is_code<S>)
void multiply(int num_threads, const SlicedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

template <class A, class S, class I>
  requires(!is_complex<A> && !is_code<S>)
void multiply(int num_threads, const JaggedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

}  // namespace millrace::host
