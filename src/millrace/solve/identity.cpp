// The identity: y = alpha x + beta y.
#include "millrace/solve/identity.hpp"

#include "millrace/solve/engine/steps.hpp"

namespace millrace {

using namespace detail;

template <class T>
Traffic Identity<T>::traffic(int num_vectors, bool reads_y) const {
  const double bytes = static_cast<double>(size_) * num_vectors * sizeof(T) * (reads_y ? 3 : 2);
  return {.matrix = 0, .vectors = bytes, .minimum = bytes};
}

template <class T>
void Identity<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  for (int v = 0; v < request.x.num; ++v)
    sweep(queue, Comm(), size_,
          AddStep<Arith<T>>(arith(request.alpha), arith(request.x.data + v * request.x.stride), arith(request.beta),
                            arith(request.y.data + v * request.y.stride)));
}

template class Identity<float>;
template class Identity<double>;
template class Identity<std::complex<float>>;
template class Identity<std::complex<double>>;

}  // namespace millrace
