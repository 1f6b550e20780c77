// Makes a preconditioner from its name, so that a zero on the diagonal is a note and not an end.
#include "verbs/solve/preconds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "millrace/base/comm.hpp"
#include "millrace/base/error.hpp"
#include "millrace/precond/block_jacobi.hpp"
#include "millrace/precond/boomer_amg.hpp"
#include "millrace/precond/fill.hpp"
#include "millrace/precond/incomplete.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/identity.hpp"

namespace millrace::command {

namespace {

// |a_ii| as a diagonal matrix, and where that is nothing beside the rest of the row, the norm of the row.
template <class T>
Csr<T> positive_diagonal(const Csr<T>& on_device) {
  constexpr double nothing = 1e-12;
  const Csr<T> a = on_device.to(Device::host());
  const Index n = a.num_rows;
  Array<std::int32_t> row_ptr(n + 1);
  Array<Index> cols(n);
  Array<T> vals(n);
  for (Index r = 0; r < n; ++r) {
    double diagonal = 0, square = 0;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const double size = std::abs(a.vals.data()[k]);
      square += size * size;
      if (a.cols.data()[k] == r) diagonal = size;
    }
    const double norm = std::sqrt(square);
    const double d = diagonal > nothing * norm ? diagonal : norm > 0 && std::isfinite(norm) ? norm : 1.0;
    row_ptr.data()[r] = r;
    cols.data()[r] = r;
    vals.data()[r] = static_cast<T>(static_cast<RealOf<T>>(d));
  }
  row_ptr.data()[n] = n;
  return Csr<T>(n, n, std::move(row_ptr), std::move(cols), std::move(vals)).to(on_device.device());
}

template <class T>
Preconditioner<T> make_jacobi(Queue& queue, const PrecondRequest& request, const Csr<T>& csr) {
  const JacobiOptions options{.precision = request.precision, .zero_as_one = true};
  if (!request.positive) return {std::make_unique<Jacobi<T>>(queue, csr, options), nullptr, ""};
  return {std::make_unique<Jacobi<T>>(queue, positive_diagonal(csr), options), nullptr, "absolute values"};
}

template <class T>
Preconditioner<T> make_blocks(Queue& queue, const PrecondRequest& request, const Csr<T>& csr) {
  BlockJacobiOptions options;
  options.size = request.spec.size;
  options.precision = request.precision;
  options.singular_as_one = true;
  auto made = std::make_unique<BlockJacobi<T>>(queue, csr, options);
  std::string note =
      fmt::format("{} blocks of up to {} unknowns", made->blocks().num_blocks(), made->blocks().largest());
  return {std::move(made), nullptr, std::move(note)};
}

template <class T>
Csr<T> with_fill(const Csr<T>& csr, int level) {
  constexpr Offset max_times = 50;           // as many entries as the matrix has,
  constexpr Offset max_entries = 8'000'000;  // and no more than that, unless they are few times as many
  const Offset own = csr.num_entries() + csr.num_rows;
  const Offset most = std::min(max_times * own, std::max(max_entries, 4 * own));
  return add_fill(csr.to(Device::host()), level, most).to(csr.device());
}

template <class T>
Preconditioner<T> make_incomplete(Queue& queue, const PrecondRequest& request, const Csr<T>& csr,
                                  const SparseMatrix<T>& a) {
  IncompleteOptions options;
  options.precision = request.precision;
  const std::string& name = request.spec.name;
  const auto keep = [](Incomplete<T>&& factors) -> Preconditioner<T> {
    std::string note = factors.report().text();
    return {std::make_unique<Incomplete<T>>(std::move(factors)), nullptr, std::move(note)};
  };
  if (name == "ilu" || name == "ic") {
    const int level = request.spec.size;
    const Csr<T> filled = level == 0 ? csr.clone() : with_fill(csr, level);
    Preconditioner<T> made = keep(name == "ic" ? ic0(queue, filled, options) : ilu0(queue, filled, options));
    if (level > 0) made.note += fmt::format("; {} entries instead of {}", filled.num_entries(), csr.num_entries());
    return made;
  }
  if (request.spec.size == 0) return keep(block_ilu0(queue, a, options));
  options.block = request.spec.size;
  return keep(ilu0(queue, csr, options));
}

template <class T>
Preconditioner<T> make_polynomial(Queue& queue, const PrecondRequest& request, const Csr<T>& csr,
                                  const SparseMatrix<T>& a) {
  constexpr double lowest_share = 1.0 / 30;  // what lies below is left to the method: damping it would take long
  const int degree = request.spec.size > 0 ? request.spec.size : 4;
  PrecondRequest diagonal = request;
  diagonal.positive = true;
  std::unique_ptr<Operator<T>> inner = make_jacobi(queue, diagonal, csr).op;
  SpectralBounds bounds = estimate_bounds(queue, a, *inner);
  bounds.smallest = std::max(bounds.smallest, bounds.largest * lowest_share);
  auto made = std::make_unique<ChebyshevPolynomial<T>>(a, *inner, bounds, degree);
  return {std::move(made), std::move(inner),
          fmt::format("degree {} on {:.3g} to {:.3g}, with Jacobi", degree, bounds.smallest, bounds.largest)};
}

// hypre speaks MPI, which is started for it and ended with the program.
template <class T>
Preconditioner<T> make_amg(Queue& queue, const PrecondRequest& request, const Csr<T>& csr) {
  if constexpr (std::is_same_v<T, double>) {
    static int argc = 0;
    static char** argv = nullptr;
    static const MpiSession session(argc, argv);
    return {std::make_unique<BoomerAmg>(queue, csr, BoomerAmgOptions{.symmetric = request.positive}), nullptr, ""};
  } else {
    throw Unsupported(join("amg: hypre's BoomerAMG takes real numbers in double, not ", scalar_name<T>()));
  }
}

// The number that may follow a name: none, a size behind a dash, or a level of fill behind the last letter.
enum class Suffix { none, size, level };
struct Kind {
  std::string_view name;
  Suffix suffix;
};
constexpr Kind kinds[] = {{"none", Suffix::none},      {"jacobi", Suffix::none}, {"block-jacobi", Suffix::size},
                          {"ilu", Suffix::level},      {"ic", Suffix::level},    {"block-ilu0", Suffix::size},
                          {"chebyshev", Suffix::size}, {"amg", Suffix::none}};
constexpr Index max_size = 1024, highest_level = 20;

}  // namespace

std::string precond_usage() {
  std::string text;
  for (const Kind& kind : kinds) {
    const char* suffix = kind.suffix == Suffix::size ? "[-N]" : kind.suffix == Suffix::level ? "K" : "";
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", kind.name, suffix);
  }
  return text;
}

PrecondSpec parse_precond(std::string_view text) {
  for (const Kind& kind : kinds) {
    if (!text.starts_with(kind.name)) continue;
    std::string_view rest = text.substr(kind.name.size());
    if (rest.empty() && kind.suffix != Suffix::level) return {std::string(kind.name)};
    if (kind.suffix == Suffix::none || (kind.suffix == Suffix::size) != rest.starts_with('-')) continue;
    if (kind.suffix == Suffix::size) rest.remove_prefix(1);
    const Index least = kind.suffix == Suffix::size ? 1 : 0, most = least == 1 ? max_size : highest_level;
    Index number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    require(error == std::errc{} && end == rest.data() + rest.size() && number >= least && number <= most,
            "preconditioner '", text, "': the number behind ", kind.name, " must be ", least, " to ", most);
    return {std::string(kind.name), number};
  }
  require(false, "unknown preconditioner '", text, "'; there are: auto ", precond_usage());
  return {};
}

template <class T>
Preconditioner<T> make_preconditioner(Queue& queue, const PrecondRequest& request, const Csr<T>& csr,
                                      const SparseMatrix<T>& a) {
  const std::string& name = request.spec.name;
  if (name == "none") return {std::make_unique<Identity<T>>(a), nullptr, ""};
  if (name == "jacobi") return make_jacobi(queue, request, csr);
  if (name == "block-jacobi") return make_blocks(queue, request, csr);
  if (name == "chebyshev") return make_polynomial(queue, request, csr, a);
  if (name == "amg") return make_amg(queue, request, csr);
  return make_incomplete(queue, request, csr, a);
}
template Preconditioner<float> make_preconditioner(Queue&, const PrecondRequest&, const Csr<float>&,
                                                   const SparseMatrix<float>&);
template Preconditioner<double> make_preconditioner(Queue&, const PrecondRequest&, const Csr<double>&,
                                                    const SparseMatrix<double>&);
template Preconditioner<std::complex<float>> make_preconditioner(Queue&, const PrecondRequest&,
                                                                 const Csr<std::complex<float>>&,
                                                                 const SparseMatrix<std::complex<float>>&);
template Preconditioner<std::complex<double>> make_preconditioner(Queue&, const PrecondRequest&,
                                                                  const Csr<std::complex<double>>&,
                                                                  const SparseMatrix<std::complex<double>>&);

}  // namespace millrace::command
