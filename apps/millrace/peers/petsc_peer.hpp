// What the command and its PETSc ranks agree on: how the memory they share is laid out, and the orders of one byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace::bench {

/// Begins the shared memory.
struct PetscHead {
  std::int64_t num_rows, num_cols, num_entries, block_size;
  // Answers of rank 0:
  std::int64_t stored_entries;  // padding and filled blocks included
  char version[32];
};

/// Where the arrays lie, in bytes from the head. What only the setup needs comes last, so that it can be given back.
struct PetscLayout {
  std::size_t y;        // [num_rows] double
  std::size_t row_ptr;  // [num_rows + 1] int64
  std::size_t cols;     // [num_entries] int32
  std::size_t vals;     // [num_entries] double
  std::size_t x;        // [num_cols] double
  std::size_t end;

  explicit PetscLayout(const PetscHead& head) {
    const auto rows = static_cast<std::size_t>(head.num_rows), entries = static_cast<std::size_t>(head.num_entries);
    y = in_pages(sizeof(PetscHead));
    row_ptr = in_pages(y + rows * sizeof(double));
    cols = in_pages(row_ptr + (rows + 1) * sizeof(std::int64_t));
    vals = in_pages(cols + entries * sizeof(std::int32_t));
    x = in_pages(vals + entries * sizeof(double));
    end = in_pages(x + static_cast<std::size_t>(head.num_cols) * sizeof(double));
  }

 private:
  static std::size_t in_pages(std::size_t bytes) {
    constexpr std::size_t page = 65536;  // the largest base page of any Linux
    return (bytes + page - 1) / page * page;
  }
};

/// Each order but the last is answered by the same byte when it is done. A pipe that ends without the order to end says
/// that the command died, perhaps with an order given to some ranks only: then the rank ends all of them by force.
enum class PetscOrder : char {
  nothing = 'n',           // measures the way there and back
  product = 'p',           // y = A x, left with the rank
  product_and_copy = 'c',  // y = A x, and y goes into the shared memory
  end = 'e',
};
inline constexpr char petsc_ready = 'r';  // the first byte of a rank: the matrix is built

inline constexpr const char* petsc_program = "millrace-petsc-peer";  // beside the command

}  // namespace millrace::bench
