// Finite elements on top of millrace/millrace.hpp: spaces on a mesh and operators that are applied without a matrix.
// Users who compile their own physics with nvcc include millrace/fem/user_physics_cuda.cuh there.
#pragma once

#include "millrace/fem/basis.hpp"
#include "millrace/fem/basis_actions.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/fem/dirichlet.hpp"
#include "millrace/fem/element_operator.hpp"
#include "millrace/fem/element_sum.hpp"
#include "millrace/fem/groups.hpp"
#include "millrace/fem/load.hpp"
#include "millrace/fem/options.hpp"
#include "millrace/fem/physics.hpp"
#include "millrace/fem/place_function.hpp"
#include "millrace/fem/pointwise.hpp"
#include "millrace/fem/quadrature.hpp"
#include "millrace/fem/sample.hpp"
#include "millrace/fem/source_physics.hpp"
#include "millrace/fem/space.hpp"
#include "millrace/millrace.hpp"
