// Any matrix file, by its name: .mtx, .mtx.gz, .mtx.xz (Matrix Market) and .mrx (binary).
#pragma once

#include <complex>
#include <filesystem>
#include <span>
#include <variant>
#include <vector>

#include "millrace/io/matrix_market.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

using AnyCsr = std::variant<Csr<double>, Csr<std::complex<double>>>;

/// Complex when the file is, real otherwise.
AnyCsr read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

/// Symmetry and comment are for Matrix Market files only.
void write_matrix(const std::filesystem::path& path, const AnyCsr& a, const WriteOptions& options = {});

/// An n x 1 matrix of any of these files, whether stored as array or coordinates, as n numbers.
template <class T>
std::vector<T> read_vector(const std::filesystem::path& path, const ReadOptions& options = {});

/// Several vectors of one size, one after another.
template <class T>
struct VectorSet {
  Index size = 0, num = 0;
  std::vector<T> values{};  // [num, size]
};
/// An n x k matrix of any of these files, whether stored as array or coordinates, as k vectors.
template <class T>
VectorSet<T> read_vectors(const std::filesystem::path& path, const ReadOptions& options = {});
/// A Matrix Market array of n x k.
template <class T>
void write_vectors(const std::filesystem::path& path, std::span<const T> values, Index num,
                   const WriteOptions& options = {});

/// A Matrix Market array of n x 1.
template <class T>
void write_vector(const std::filesystem::path& path, std::span<const T> values, const WriteOptions& options = {});
template <class T>
void write_vector(const std::filesystem::path& path, const std::vector<T>& values, const WriteOptions& options = {}) {
  write_vector(path, std::span<const T>(values), options);
}

}  // namespace millrace
