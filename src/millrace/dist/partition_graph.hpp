// Parts of a matrix that few entries join.
#pragma once

#include <vector>

#include "millrace/dist/partition.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// Which of the new parts each row of this rank goes to, so that parts have about as many entries each and few entries
/// join two of them: METIS_PartGraphKway (Karypis and Kumar 1998) on rank 0. It gets groups of rows that follow each
/// other on a rank, at most 4e6 of them; smaller matrices are divided row by row. The same for every run on as many
/// ranks. For all ranks. Unsupported names METIS where the build lacks it.
template <class T>
std::vector<int> by_graph(const Comm& comm, const GlobalRows<T>& rows, int num_parts);

}  // namespace millrace
