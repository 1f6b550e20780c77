// What solve does once it has a linear system, wherever its rows are: the tries, one after another.
#pragma once

#include "millrace/tune/linear_system.hpp"
#include "millrace/tune/solve.hpp"

namespace millrace {

/// Refuses options that no matrix could go with.
void check_options(const AutoOptions& options);
/// What the options leave open or ask for.
template <class T>
PlanRequest plan_request(const AutoOptions& asked);

/// Each column of b in turn, by the tries that follow from the facts, into x. `format`: that the system was made with,
/// for the report. Entries of b and x are those of the rows here.
template <class T>
AutoReport run_tries(LinearSystem<T>& system, const SystemFacts& facts, const FormatChoice& format,
                     const PlanRequest& request, std::type_identity_t<Vectors<const T>> b,
                     std::type_identity_t<Vectors<T>> x, const AutoOptions& options);

}  // namespace millrace
