// libCEED as a peer of benchmark_bp: the same mesh, nodes, tables, points and stored factors, applied by its back end.
#pragma once

#include <memory>
#include <string>

#include "millrace/fem/element_operator.hpp"

#ifndef MILLRACE_BENCHMARK_LIBCEED
#define MILLRACE_BENCHMARK_LIBCEED 0
#endif

namespace millrace::bp_peers {

inline constexpr bool has_libceed = MILLRACE_BENCHMARK_LIBCEED != 0;  // was it built in?

/// What is measured in place of ours. Vectors are of the queue's device.
struct Peer {
  std::string name{}, version{};
  Queue queue{};                                // libCEED launches on a GPU's default stream: this one
  std::unique_ptr<Operator<double>> product{};  // libCEED's application alone: constrained nodes are like others
  std::unique_ptr<Operator<double>> whole{};    // then y = x at constrained nodes, as ours; x is 0 there
};

/// From an operator on the host with stored factors; the environment's MILLRACE_LIBCEED_RESOURCE names another back end
/// than /gpu/cuda/gen of a GPU, or /cpu/self of a CPU. An error of libCEED is an Error with its text.
Peer make_libceed(const ElementOperator<double>& on_host, Device device);

}  // namespace millrace::bp_peers
