// One rank of the peer PETSc, started by `millrace bench` through mpirun: builds its rows of a matrix from memory that
// the command shares, then multiplies whenever a byte comes through its pipe. It sleeps in between and never polls, for
// others are timed on the same cores meanwhile.
#include "peers/petsc_peer.hpp"

#include <fcntl.h>
#include <petscmat.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace millrace::bench {

namespace {

struct Rank {
  PetscHead* head = nullptr;
  int from_command = -1, to_command = -1;  // pipes
  Mat a = nullptr;
  Vec x = nullptr, y = nullptr;

  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(head) + offset);
  }
};

// "millrace-petsc-peer aij FOLDER SHARED IN0 OUT0 IN1 OUT1 ...": numbers of the command's open files, found in FOLDER.
PetscErrorCode open_files(int count, char** words, int rank, Rank& self) {
  PetscFunctionBeginUser;
  PetscCheck(count > 5 + 2 * rank, PETSC_COMM_SELF, PETSC_ERR_USER, "rank %d was not expected", rank);
  const auto open_number = [&](int word, int mode) {
    return open((std::string(words[2]) + '/' + words[word]).c_str(), mode | O_CLOEXEC);
  };
  const int shared = open_number(3, O_RDWR);
  self.from_command = open_number(4 + 2 * rank, O_RDONLY);
  self.to_command = open_number(5 + 2 * rank, O_WRONLY);
  PetscCheck(shared >= 0 && self.from_command >= 0 && self.to_command >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "the open files of the command cannot be reached through %s", words[2]);
  void* memory = mmap(nullptr, sizeof(PetscHead), PROT_READ, MAP_SHARED, shared, 0);
  PetscCheck(memory != MAP_FAILED, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "the shared memory cannot be mapped");
  const std::size_t bytes = PetscLayout(*static_cast<const PetscHead*>(memory)).end;
  munmap(memory, sizeof(PetscHead));
  memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  PetscCheck(memory != MAP_FAILED, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "the shared memory cannot be mapped");
  close(shared);
  self.head = static_cast<PetscHead*>(memory);
  PetscFunctionReturn(0);
}

// This rank's part of n unknowns in whole blocks.
PetscInt local_size(std::int64_t n, std::int64_t block, int rank, int num_ranks) {
  const std::int64_t blocks = n / block;
  return static_cast<PetscInt>((blocks / num_ranks + (rank < blocks % num_ranks ? 1 : 0)) * block);
}

// This rank's rows as PETSc takes them.
struct Rows {
  std::vector<PetscInt> begin, cols;
  std::vector<PetscScalar> vals;
};
Rows local_rows(const Rank& self, PetscInt first, PetscInt num_rows) {
  const PetscLayout layout(*self.head);
  const std::int64_t* row_ptr = self.at<const std::int64_t>(layout.row_ptr) + first;
  const auto* cols = self.at<const std::int32_t>(layout.cols);
  const auto* vals = self.at<const double>(layout.vals);
  Rows rows;
  for (PetscInt r = 0; r <= num_rows; ++r) rows.begin.push_back(static_cast<PetscInt>(row_ptr[r] - row_ptr[0]));
  rows.cols.assign(cols + row_ptr[0], cols + row_ptr[num_rows]);
  rows.vals.assign(vals + row_ptr[0], vals + row_ptr[num_rows]);
  return rows;
}

// Blocks of every block row in this rank's columns [first, last), and in those of other ranks.
struct BlockCounts {
  std::vector<PetscInt> inside, outside;
};
BlockCounts count_blocks(const Rows& rows, PetscInt size, PetscInt first, PetscInt last) {
  BlockCounts counts;
  for (std::size_t r = 0; r + 1 < rows.begin.size(); r += static_cast<std::size_t>(size)) {
    std::vector<PetscInt> blocks(rows.cols.begin() + rows.begin[r],
                                 rows.cols.begin() + rows.begin[r + static_cast<std::size_t>(size)]);
    for (PetscInt& c : blocks) c /= size;
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    const auto own =
        std::count_if(blocks.begin(), blocks.end(), [&](PetscInt c) { return c * size >= first && c * size < last; });
    counts.inside.push_back(static_cast<PetscInt>(own));
    counts.outside.push_back(static_cast<PetscInt>(blocks.size()) - counts.inside.back());
  }
  return counts;
}

// Row by row into exactly the memory it needs. (MatConvert from aij takes a hundred times as long to baij, and in PETSc
// 3.18 the sell that it makes gives wrong products on several ranks.)
PetscErrorCode fill(Mat a, PetscInt block_size, const Rows& rows) {
  PetscFunctionBeginUser;
  PetscInt row = 0, first_col = 0, last_col = 0;
  PetscCall(MatGetOwnershipRange(a, &row, nullptr));
  PetscCall(MatGetOwnershipRangeColumn(a, &first_col, &last_col));
  const BlockCounts counts = count_blocks(rows, block_size, first_col, last_col);
  const PetscInt *inside = counts.inside.data(), *outside = counts.outside.data();
  PetscCall(MatXAIJSetPreallocation(a, block_size, inside, outside, nullptr, nullptr));  // each serves its own types
  PetscCall(MatSeqSELLSetPreallocation(a, 0, inside));
  PetscCall(MatMPISELLSetPreallocation(a, 0, inside, 0, outside));
  for (std::size_t r = 0; r + 1 < rows.begin.size(); ++r, ++row) {
    const PetscInt begin = rows.begin[r], length = rows.begin[r + 1] - begin;
    PetscCall(MatSetValues(a, 1, &row, length, rows.cols.data() + begin, rows.vals.data() + begin, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode build(const std::string& type, int rank, int num_ranks, Rank& self) {
  PetscFunctionBeginUser;
  const PetscHead& head = *self.head;
  const auto block_size = static_cast<PetscInt>(head.block_size);
  const PetscInt num_rows = local_size(head.num_rows, block_size, rank, num_ranks),
                 num_cols = local_size(head.num_cols, block_size, rank, num_ranks);
  PetscCall(MatCreate(PETSC_COMM_WORLD, &self.a));
  PetscCall(MatSetSizes(self.a, num_rows, num_cols, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(self.a, block_size));
  PetscCall(MatSetType(self.a, type.c_str()));
  PetscCall(MatSetUp(self.a));
  PetscInt first = 0, first_col = 0;
  PetscCall(MatGetOwnershipRange(self.a, &first, nullptr));
  PetscCall(MatGetOwnershipRangeColumn(self.a, &first_col, nullptr));
  PetscCall(fill(self.a, block_size, local_rows(self, first, num_rows)));

  PetscCall(MatCreateVecs(self.a, &self.x, &self.y));
  PetscScalar* x = nullptr;
  PetscCall(VecGetArrayWrite(self.x, &x));
  std::copy_n(self.at<const double>(PetscLayout(head).x) + first_col, num_cols, x);
  PetscCall(VecRestoreArrayWrite(self.x, &x));

  MatInfo info{};
  PetscCall(MatGetInfo(self.a, MAT_GLOBAL_SUM, &info));
  if (rank == 0) {
    self.head->stored_entries = static_cast<std::int64_t>(info.nz_allocated);
    std::snprintf(self.head->version, sizeof(self.head->version), "%d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                  PETSC_VERSION_SUBMINOR);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode copy_result(const Rank& self) {
  PetscFunctionBeginUser;
  PetscInt first = 0, size = 0;
  PetscCall(VecGetOwnershipRange(self.y, &first, nullptr));
  PetscCall(VecGetLocalSize(self.y, &size));
  const PetscScalar* y = nullptr;
  PetscCall(VecGetArrayRead(self.y, &y));
  double* to = self.at<double>(PetscLayout(*self.head).y) + first;
  for (PetscInt i = 0; i < size; ++i) to[i] = static_cast<double>(PetscRealPart(y[i]));
  PetscCall(VecRestoreArrayRead(self.y, &y));
  PetscFunctionReturn(0);
}

// Serves orders until the one to end. Without the command another rank may wait for ever in a product that this one was
// not told of, so no orderly end is possible then.
PetscErrorCode serve(const Rank& self) {
  PetscFunctionBeginUser;
  char byte = petsc_ready;
  for (;;) {
    if (write(self.to_command, &byte, 1) != 1 || read(self.from_command, &byte, 1) != 1) MPI_Abort(PETSC_COMM_WORLD, 1);
    const auto order = static_cast<PetscOrder>(byte);
    if (order == PetscOrder::end) break;
    if (order != PetscOrder::nothing) PetscCall(MatMult(self.a, self.x, self.y));
    if (order == PetscOrder::product_and_copy) PetscCall(copy_result(self));
  }
  PetscFunctionReturn(0);
}

// One line instead of PETSc's page: the command shows it to the user.
PetscErrorCode print_error(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                           const char* text, void*) {
  if (type == PETSC_ERROR_INITIAL) std::fprintf(stderr, "%s\n", text);
  return code;
}

PetscErrorCode run(int count, char** words) {
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(print_error, nullptr));
  PetscCheck((std::is_same_v<PetscScalar, double>), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "this PETSc was built for complex or single numbers; the peer needs double ones");
  int rank = 0, num_ranks = 1;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &num_ranks));
  PetscCheck(count == 4 + 2 * num_ranks, PETSC_COMM_SELF, PETSC_ERR_USER,
             "the command expects %d ranks, but mpirun made %d; does it belong to another MPI than PETSc?",
             (count - 4) / 2, num_ranks);
  Rank self;
  PetscCall(open_files(count, words, rank, self));
  PetscCall(build(words[1], rank, num_ranks, self));
  PetscCall(serve(self));
  PetscCall(MatDestroy(&self.a));
  PetscCall(VecDestroy(&self.x));
  PetscCall(VecDestroy(&self.y));
  PetscFunctionReturn(0);
}

}  // namespace

}  // namespace millrace::bench

int main(int count, char** words) {
  if (count < 6) {
    std::fputs("millrace-petsc-peer: `millrace bench` starts this program; it does nothing alone\n", stderr);
    return 1;
  }
  PetscCall(PetscInitialize(nullptr, nullptr, nullptr, nullptr));
  PetscCallAbort(PETSC_COMM_WORLD, millrace::bench::run(count, words));
  PetscCall(PetscFinalize());
  return 0;
}
