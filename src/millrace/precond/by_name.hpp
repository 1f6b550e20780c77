// The preconditioners by their names: one table, which makers, help and error texts follow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/precond/amg.hpp"
#include "millrace/precond/narrow_array.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace {

/// What may follow the name of a preconditioner: nothing, "-N" with a size, "K" with a level of fill, or
/// ":KEY=VALUE,..."
enum class PrecondNumber { none, size, level, words };

/// What the table says of a preconditioner.
struct PrecondFacts {
  std::string_view name;
  PrecondNumber number;
  std::string_view help;      // a line
  std::string usage() const;  // "block-jacobi[-N]"
};

/// The table of all preconditioners.
const std::vector<PrecondFacts>& preconditioners();
/// "none jacobi block-jacobi[-N] iluK ..."
std::string precond_usage();

/// "jacobi", "block-jacobi-4", "ilu2", "amg:cycle=v": the name in the table, the number after it or 0, and the words.
struct PrecondSpec {
  std::string name;
  Index number = 0;
  std::string words{};  // of amg, as read_amg_words takes them
};
/// Throws an Error that lists the names. `besides`: a name that the caller takes, too, for that list.
PrecondSpec parse_precond(std::string_view text, std::string_view besides = {});
/// Is it another map in every application, so that the method must be flexible? Multigrid with cycle k is.
bool needs_flexible(const PrecondSpec& spec);

/// How a preconditioner is made.
struct PrecondOptions {
  Precision precision = Precision::full;  // in which it is stored
  bool definite = false;                  // the method needs it positive definite: Jacobi takes |D|
  AmgOptions amg{};                       // of multigrid, for what the words after its name leave open
};

/// A preconditioner, and what is to be said of it.
template <class T>
struct Preconditioner {
  std::unique_ptr<Operator<T>> op;
  std::unique_ptr<Operator<T>> inner;  // what op is made of, where it refers to another
  std::string note;                    // what it says of itself: "5 levels", "shifted by 1e-3"
  std::optional<AmgReport> multigrid{};
};

/// On the device of the queue. `csr` are the entries of `a`, there, in the basis that `a` works in, or of its rows
/// here those whose columns are here, too: then each rank has a preconditioner of its own, but for polynomials, which
/// multiply by `a`. `a` must live as long as the result. An Error says why there is none. Zero and missing diagonal
/// entries are no reason: where the preconditioner divides by them, 1 is taken.
template <class T>
Preconditioner<T> make_preconditioner(Queue& queue, const PrecondSpec& spec, const Csr<T>& csr, const Operator<T>& a,
                                      const PrecondOptions& options = {});
template <class T>
Preconditioner<T> make_preconditioner(Queue& queue, std::string_view name, const Csr<T>& csr, const Operator<T>& a,
                                      const PrecondOptions& options = {}) {
  return make_preconditioner(queue, parse_precond(name), csr, a, options);
}
// Of a matrix that is gone at the end of the line.
template <class T>
Preconditioner<T> make_preconditioner(Queue&, const PrecondSpec&, const Csr<T>&, const Operator<T>&& a,
                                      const PrecondOptions& options = {}) = delete;
template <class T>
Preconditioner<T> make_preconditioner(Queue&, std::string_view, const Csr<T>&, const Operator<T>&& a,
                                      const PrecondOptions& options = {}) = delete;

}  // namespace millrace
