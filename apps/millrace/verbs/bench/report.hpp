// The table of a benchmark: contenders in the order of their speed, and what it means in the last lines.
#pragma once

#include <string>

#include "terminal/terminal.hpp"
#include "verbs/bench/run.hpp"

namespace millrace::command {

/// All points are of one matrix, precision, number of vectors and state; last comes who won, how close it came to
/// the memory limit, and how our best stands to the best peer and to the best one that promises the same bits.
std::string bench_table(std::vector<Point> points, const Bandwidth& limit, const Style& style);

/// Is the difference of their medians within their spreads?
bool no_difference(const Point& a, const Point& b);

}  // namespace millrace::command
