// Sources and fluxes of a known solution, by its derivatives, so that nobody works them out with a pencil.
#pragma once

#include "verbs/pde/case.hpp"

namespace millrace::command {

/// The source that makes the exact solution one, where the coefficients are these. [comps]
void exact_source(const PdeCase& c, const PdeCoefficients& coefficients, const millrace::Point& x, double* source);

/// n . k grad u of the exact solution, or the traction of elasticity, through a face with this unit normal. [comps]
void exact_flux(const PdeCase& c, const PdeCoefficients& coefficients, const millrace::Point& x,
                const millrace::Point& normal, double* flux);

}  // namespace millrace::command
