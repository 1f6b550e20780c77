// The namespace of the command: it sees the private library of measurements, millrace/bench.
#pragma once

namespace millrace::bench {}
namespace millrace::command {
using namespace bench;
}
