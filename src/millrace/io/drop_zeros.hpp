// Explicit zeros out of a matrix, for readers that are asked not to keep them. Inside the library.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace {

template <class T>
Csr<T> drop_zeros(const Csr<T>& a);

}  // namespace millrace
