// Norms of fields, and errors against a function, all by quadrature on the host; and the energy norm of an operator.
#pragma once

#include "millrace/fem/integrals.hpp"

namespace millrace {

/// sqrt(integral of |u|^2) over all components, all cells or those of groups.
double l2_norm(Queue& queue, const FieldView& field, const IntegralOptions& options = {});
/// sqrt(integral of |grad u|^2).
double h1_seminorm(Queue& queue, const FieldView& field, const IntegralOptions& options = {});

/// sqrt(integral of |u - exact|^2), of a field of one component.
double l2_error(Queue& queue, const FieldView& field, const ScalarFunction& exact, const IntegralOptions& options = {});
/// The same over all components, which `exact` writes.
double l2_error(Queue& queue, const FieldView& field, const VectorFunction& exact, const IntegralOptions& options = {});
/// sqrt(integral of |grad u - exact gradient|^2); the function writes the gradient [comps, dim].
double h1_seminorm_error(Queue& queue, const FieldView& field, const VectorFunction& exact_gradient,
                         const IntegralOptions& options = {});

/// sqrt(<u, A u>) of a symmetric operator that is not negative; on its device, which may be a GPU, in its own order,
/// and over all ranks that share the vector. T is float or double.
template <class T>
double energy_norm(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> u);

}  // namespace millrace
