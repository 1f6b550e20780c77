// The product of any format on any device: y = alpha op(A) x + beta y for a request that was checked.
#pragma once

#include "millrace/sparse/formats.hpp"
#include "millrace/sparse/product/request.hpp"

namespace millrace {

template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const Plans& plans, const ApplyRequest<T>& request);

/// New values for a format, from a CSR matrix on the same device, which is refused if its pattern is another and it is
/// not trusted.
template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern, Trust trusted);

}  // namespace millrace
