// A job in which rank 1 is at fault in the way that the argument names; tests/mpi/check_faults.py looks at its end.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

#include "millrace/base/together.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/sparse/gallery.hpp"

namespace {

using namespace millrace;

void run(const char* fault) {
  const auto is = [&](const char* name) { return std::strcmp(fault, name) == 0; };
  const Comm world = Comm::world();
  const bool mine = world.rank() == 1;
  const Csr<double> csr = gallery::make("poisson2d5:n=12");
  const Partition parts = by_rows(csr.num_rows, world.size());
  const DistributedMatrix<double> a(world, rows_of(csr, parts.begin(world.rank()), parts.end(world.rank())),
                                    {.mode = is("silent in a task") ? Mode::task : Mode::overlap});
  std::vector<double> x(static_cast<std::size_t>(a.shape().rows), 1.0), y(x.size());
  Queue queue;
  if (is("together")) together(world, [&] { require(!mine, "its part of the file is damaged"); });
  if (is("memory"))
    together(world, [&] {
      if (mine) throw std::bad_alloc();
    });
  if (is("exception") && mine) throw std::runtime_error("rank 1 alone knows this");
  if (is("killed") && mine) std::raise(SIGKILL);
  if (is("silent") && mine) pause();
  if ((is("silent in a halo") || is("silent in a task")) && mine) {
    world.barrier();
    pause();
  }
  world.barrier();
  a.apply(queue, {.x = x, .y = y});
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const MpiSession session(argc, argv);
  try {
    run(argc > 1 ? argv[1] : "");
  } catch (const Error& error) {
    if (!dynamic_cast<const OnAllRanks*>(&error)) throw;
    if (Comm::world().rank() == 0) std::fprintf(stderr, "faults: %s\n", error.what());
    return 1;
  }
  return 0;
}
