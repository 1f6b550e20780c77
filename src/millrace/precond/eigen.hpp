// Eigenvalues of matrices by factorisations: those nearest to a number, and those at an end of the spectrum that plain
// Lanczos finds slowly; also of A x = lambda M x.
#pragma once

#include <string>

#include "millrace/solve/lanczos.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// What comes out, and what was factorised.
struct FactorisedEigenReport : EigenReport {
  double sigma = 0;             // the shift; it differs from the one asked for where that one is an eigenvalue
  std::string factorisation{};  // of A - sigma M, in a sentence
  int num_factorisations = 0;   // of shifts and of counts
};

/// The `num` eigenvalues of A x = lambda M x nearest to sigma, rising: shift_invert with Direct (precond/direct.hpp).
/// The count is verified by inertia where LDL^T is in this build and is exact enough. A and M are Hermitian, M positive
/// definite (null: the identity); both live on the queue's device.
template <class T>
FactorisedEigenReport eigen_near(Queue& queue, const Csr<T>& a, double sigma, int num, const EigenOptions& options = {},
                                 const std::type_identity_t<Csr<T>>* mass = nullptr,
                                 std::type_identity_t<Vectors<T>> vectors = {},
                                 std::type_identity_t<Vectors<const T>> start = {});

/// The lowest or highest (options.end): eigen_near with a shift beyond that end, which inertia finds.
template <class T>
FactorisedEigenReport eigen_at_end(Queue& queue, const Csr<T>& a, int num, const EigenOptions& options = {},
                                   const std::type_identity_t<Csr<T>>* mass = nullptr,
                                   std::type_identity_t<Vectors<T>> vectors = {},
                                   std::type_identity_t<Vectors<const T>> start = {});

}  // namespace millrace
