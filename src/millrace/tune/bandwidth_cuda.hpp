// The GPU's part of the bandwidth measurement: each function enqueues its kernel and returns at once.
// The memory is one array; a copy goes from its first half to its second, a triad from two thirds to the first.
#pragma once

#include <cstdint>

#include "millrace/base/queue.hpp"

namespace millrace::cuda {

/// Multiples of this many words can be measured: 16-byte loads in halves and thirds.
inline constexpr std::int64_t bandwidth_granule = 12;

/// words[i] = first + (i % period) * step
void fill_words(Queue& queue, double* words, std::int64_t size, double first, double step, std::int64_t period);
/// *sum = the words' bits added up as integers, so that no order of the additions matters. sum is on the device.
void sum_words(Queue& queue, const double* words, std::int64_t size, std::uint64_t* sum);
void copy_words(Queue& queue, double* words, std::int64_t size);
void triad_words(Queue& queue, double* words, std::int64_t size, double factor);
void launch_nothing(Queue& queue);

}  // namespace millrace::cuda
