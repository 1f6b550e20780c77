// All equations that come with the library, in 2 and 3 dimensions.
#pragma once

#include "millrace/hdg/equation.hpp"
#include "millrace/hdg/physics/convection_diffusion.hpp"
#include "millrace/hdg/physics/euler.hpp"
#include "millrace/hdg/physics/navier_stokes.hpp"
#include "millrace/hdg/physics/poisson.hpp"
