// Formats as values, the typed alternative to texts: SparseMatrix<double>(csr, as::Sell{.slice = 32, .sigma = 1024})
// asks for what "sell-32-1024" asks for. Each format's struct is at its door (bsr.hpp, padded.hpp, ...); here are those
// of COO and CSR, and how a struct becomes the FormatSpec that a text is read into.
#pragma once

#include <initializer_list>

#include "millrace/sparse/csr_schedule.hpp"

namespace millrace::detail {

/// The spec of a format's name, its numbers up to the last one that is not 0 (unasked), and its words, "" being none.
FormatSpec make_spec(std::string_view name, std::initializer_list<std::int64_t> numbers,
                     std::initializer_list<std::string_view> words);

}  // namespace millrace::detail

namespace millrace::as {

/// Row, column and value per entry.
struct Coo {
  operator FormatSpec() const { return detail::make_spec("coo", {}, {}); }
};

/// Compressed sparse rows. The schedule counts on a GPU; without one the matrix decides.
struct Csr {
  std::optional<CsrSchedule> schedule{};
  operator FormatSpec() const { return detail::make_spec("csr", {}, {schedule ? name(*schedule) : ""}); }
};

}  // namespace millrace::as
