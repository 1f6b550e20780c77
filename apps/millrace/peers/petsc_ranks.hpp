// The MPI ranks of the peer PETSc: processes of their own, with which the command shares memory and talks through
// pipes. They end when this object does, and when the command ends in any other way.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "millrace/sparse/csr.hpp"
#include "peers/petsc_peer.hpp"

namespace millrace::bench {

class PetscRanks {
 public:
  /// Starts the ranks and returns when their parts of the matrix are built. type: aij, sell or baij.
  /// Throws Unsupported, with what mpirun said, when they do not come up.
  PetscRanks(const std::string& type, const Csr<double>& sorted, Index block_size, std::span<const double> x,
             int num_ranks);
  PetscRanks(const PetscRanks&) = delete;
  PetscRanks& operator=(const PetscRanks&) = delete;
  ~PetscRanks();

  /// Gives all ranks an order and sleeps until all have done it.
  void order(PetscOrder order);
  /// What the ranks answered, and y after product_and_copy.
  const PetscHead& head() const { return *reinterpret_cast<const PetscHead*>(memory_); }
  std::span<const double> y() const;

 private:
  struct Pipe {
    int read = -1, write = -1;
  };
  void share(const Csr<double>& sorted, Index block_size, std::span<const double> x);
  void start(const std::string& type);
  void wait_until_ready();
  bool ended();
  std::string last_words() const;
  void stop() noexcept;

  int shared_ = -1, log_ = -1;  // files without a name: the memory, and what mpirun prints
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<Pipe> to_rank_, from_rank_;
  pid_t mpirun_ = -1;
  int status_ = 0;
};

}  // namespace millrace::bench
