// A job in which rank 1 is at fault in the way that the argument names; tests/mpi/check_faults.py looks at its end.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

#include "millrace/base/together.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/sparse/gallery.hpp"

namespace {

using namespace millrace;

/// Another operator, until its fourth product: then x of rank 1 lies where no memory is.
class Faulty final : public Operator<double> {
 public:
  explicit Faulty(const Operator<double>& a) : a_(a) {}
  Shape shape() const override { return a_.shape(); }
  Device device() const override { return a_.device(); }
  Comm comm() const override { return a_.comm(); }
  Traffic traffic(int num_vectors, bool reads_y) const override { return a_.traffic(num_vectors, reads_y); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<double>& request) const override {
    ApplyRequest<double> now = request;
    if (++num_products_ > 3 && comm().rank() == 1)
      now.x = DeviceSpan<const double>(device(), request.x.data + (std::int64_t{1} << 43), shape().cols);
    a_.apply(queue, now);
  }

  const Operator<double>& a_;
  mutable int num_products_ = 0;
};

/// CG on a GPU that all ranks share: the kernels of rank 1 fail while those of the others wait for its sums.
void run_on_gpu(const Comm& world, const GlobalRows<double>& rows) {
  const Device gpu = Device::gpu();
  Queue queue(gpu);
  const DistributedMatrix<double> a(world, rows, {.mode = Mode::overlap, .device = gpu});
  const Array<double> b = Array<double>(a.shape().rows, 1.0).to(gpu);
  Array<double> x = Array<double>(a.shape().rows, 0.0).to(gpu);
  cg(queue, Faulty(a), b, x);
  queue.wait();
  world.barrier();
}

void run(const char* fault) {
  const auto is = [&](const char* name) { return std::strcmp(fault, name) == 0; };
  const Comm world = Comm::world();
  const bool mine = world.rank() == 1;
  const Csr<double> csr = gallery::make("poisson2d5:n=12");
  const Partition parts = by_rows(csr.num_rows, world.size());
  const GlobalRows<double> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
  if (is("cuda")) return run_on_gpu(world, rows);
  const DistributedMatrix<double> a(world, rows, {.mode = is("silent in a task") ? Mode::task : Mode::overlap});
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
  } catch (const Error& error) {  // as the command: what all ranks know, one says; what one alone knows ends the job
    const Comm world = Comm::world();
    const bool everywhere = dynamic_cast<const OnAllRanks*>(&error) != nullptr;
    if (everywhere && world.rank() == 0) std::fprintf(stderr, "faults: %s\n", error.what());
    if (everywhere) return 1;
    std::fprintf(stderr, "faults: rank %d of %d: %s\n", world.rank(), world.size(), error.what());
    MpiSession::end_job(1);
  }
  return 0;
}
