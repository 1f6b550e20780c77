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

/// Checks offsets, columns and pointers where the matrix lives, in the order of the queue: see check_csr(a).
template <class T>
void check_csr(Queue& queue, const Csr<T>& a);
/// The same of the arrays and positions of coordinates.
template <class T>
void check_coo(Queue& queue, const Coo<T>& a);

/// Do the rows of the entries never fall?
template <class T>
bool is_sorted_by_row(Queue& queue, const Coo<T>& a);

namespace convert {
struct Rows;
}

namespace cuda {

/// Until all work given to a GPU is done, whoever gave it.
void wait_for_device(Device device);
void check_rows(Queue& queue, const convert::Rows& a);
template <class T>
void check_entries(Queue& queue, const Coo<T>& a);

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
