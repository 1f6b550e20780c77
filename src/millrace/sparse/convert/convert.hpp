// Conversion on a GPU: CSR into every format and coordinates into CSR, without the host. `make_format`, `to_csr` and
// `sort_rows` come here for arrays on a GPU; the results are those of the host, array for array.
#pragma once

#include "millrace/sparse/coo.hpp"

namespace millrace::cuda {

/// The format of a matrix on a GPU, on the same GPU; done when it returns. Temporary memory comes from the pool.
template <class Format>
Format from_csr(const Csr<typename Format::value_type>& a, const FormatSpec& spec);

/// Entries in any order by row; `add_up`: then by column, repeated positions added up in the order given.
template <class T>
Csr<T> to_csr(const Coo<T>& a, bool add_up);

/// The columns of every row ascending, and equal ones added up in the order given.
template <class T>
Csr<T> sort_rows(const Csr<T>& a);

/// Do the rows of the entries never fall?
template <class T>
bool is_sorted_by_row(const Coo<T>& a);

}  // namespace millrace::cuda
