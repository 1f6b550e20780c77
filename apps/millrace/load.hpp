// A matrix as a user names it: a file (.mtx, .mtx.gz, .mtx.xz, .mrx) or a gallery spec (poisson3d7:n=64).
#pragma once

#include <filesystem>
#include <string>

#include "millrace/io/matrix_file.hpp"
#include "millrace/sparse/order.hpp"

namespace millrace::command {

AnyCsr load_matrix(const std::string& argument, bool strict = false);

/// "double", or "complex-double" for a complex matrix, unless the user asked for another.
std::string precision_of(const AnyCsr& a, const std::string& asked);

/// The same matrix in the scalar T; complex to real is refused.
template <class T>
Csr<T> in_precision(const AnyCsr& a);

/// Rows and, unless rows_only, columns in that order; an order of rows alone when the matrix is not square.
AnyCsr reordered(AnyCsr a, Ordering order, bool rows_only);

/// Refuses an output that could not be written, before any work is done: a folder, or no folder to hold it.
void check_output_place(const std::filesystem::path& path);
/// ... and a name with none of the endings; those of a matrix file when none are given.
void check_output(const std::filesystem::path& path, const std::vector<std::string>& endings = {});

bool is_matrix_market(const std::filesystem::path& path);
bool is_binary(const std::filesystem::path& path);

}  // namespace millrace::command
