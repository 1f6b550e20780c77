// A matrix as a user names it: a file (.mtx, .mtx.gz, .mtx.xz, .mrx) or a gallery spec (poisson3d7:n=64).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/io/matrix_file.hpp"
#include "millrace/sparse/order.hpp"

namespace millrace::bench {

/// What a file with a matrix may end in.
const std::vector<std::string>& matrix_endings();

/// No file of that name, and a matrix of the gallery.
bool is_gallery_spec(const std::string& argument);

/// Refuses what is neither a file nor a matrix of the gallery with right parameters; reads and makes nothing.
void check_matrix(const std::string& argument);

/// `progress` is told the fraction that is done; max_memory as in ReadOptions and gallery::make.
AnyCsr load_matrix(const std::string& argument, bool strict = false, std::function<void(double)> progress = {},
                   std::int64_t max_memory = 0);

/// "double", or "complex-double" for a complex matrix, unless the user asked for another.
std::string precision_of(const AnyCsr& a, const std::string& asked);

/// The same matrix in the scalar T; complex to real is refused.
template <class T>
Csr<T> in_precision(const AnyCsr& a);

/// Rows and, unless rows_only, columns in that order; an order of rows alone when the matrix is not square.
AnyCsr reordered(AnyCsr a, Ordering order, bool rows_only);

}  // namespace millrace::bench
