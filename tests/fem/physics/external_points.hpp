// Functions as an external library has them: compiled by themselves, with no type of ours but the queue they are given.
#pragma once

#include <cstdint>

namespace millrace {
class Queue;
}

/// (k grad u, grad v) with k = 2 of one component from stored J^-1 and w det: a kernel of their own.
void external_diffusion(millrace::Queue& queue, const void* context, std::int64_t num_elem, int num_points,
                        const double* stored, double* value, double* grad);
