// Conversion in the order of a queue: CSR into every format and coordinates into CSR, by host threads or by a GPU. Both
// make the same arrays, bit for bit.
#pragma once

#include "millrace/sparse/coo.hpp"

namespace millrace {

/// Entries in any order by row; `add_up`: then by column, repeated positions added up in the order given. The queue and
/// the entries are on one device.
template <class T>
Csr<T> to_csr(Queue& queue, const Coo<T>& a, bool add_up);

/// The columns of every row ascending, and equal ones added up in the order given.
template <class T>
Csr<T> sort_rows(Queue& queue, const Csr<T>& a);

/// Do the rows of the entries never fall?
template <class T>
bool is_sorted_by_row(Queue& queue, const Coo<T>& a);

namespace cuda {

/// The format of a matrix on a GPU, on the same GPU, in the order of the queue. Temporary memory comes from the pool.
template <class Format>
Format from_csr(Queue& queue, const Csr<typename Format::value_type>& a, const FormatSpec& spec);

template <class T>
Csr<T> to_csr(Queue& queue, const Coo<T>& a, bool add_up);
template <class T>
Csr<T> sort_rows(Queue& queue, const Csr<T>& a);
template <class T>
bool is_sorted_by_row(Queue& queue, const Coo<T>& a);

}  // namespace cuda
}  // namespace millrace
