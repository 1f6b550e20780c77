// The sentence of a report that says what happened.
#pragma once

#include "millrace/solve/engine/loop.hpp"

namespace millrace::detail {

/// A relative residual up to this many times epsilon is what a precision can reach.
inline constexpr double reachable_epsilons = 1e3;

/// `goal` is the residual that was aimed at, `epsilon` that of the precision.
std::string reason(const Method& method, const Progress& state, SolveEnd end, double goal, double epsilon);

}  // namespace millrace::detail
