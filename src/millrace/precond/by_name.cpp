// The makers of preconditioners, so that a zero on the diagonal is a note and not an end, and the table of their names.
#include "millrace/precond/by_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "millrace/base/comm.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/amg_words.hpp"
#include "millrace/precond/block_jacobi.hpp"
#include "millrace/precond/boomer_amg.hpp"
#include "millrace/precond/fill.hpp"
#include "millrace/precond/incomplete.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/sparse/matrix.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

// |a_ii| as a diagonal matrix, and where that is nothing beside the rest of the row, the norm of the row.
template <class T>
Csr<T> with_positive_diagonal(const Csr<T>& on_device) {
  constexpr double nothing = 1e-12;
  const bool here = on_device.device().on_host();
  const Csr<T> copy = here ? Csr<T>() : on_device.to(Device::host());
  const Csr<T>& a = here ? on_device : copy;
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
Preconditioner<T> make_identity(Queue&, const PrecondSpec&, const Csr<T>&, const Operator<T>& a,
                                const PrecondOptions&) {
  return {std::make_unique<Identity<T>>(a), nullptr, ""};
}

template <class T>
Preconditioner<T> make_jacobi(Queue& queue, const PrecondSpec&, const Csr<T>& csr, const Operator<T>&,
                              const PrecondOptions& asked) {
  const JacobiOptions options{.precision = asked.precision, .zero_as_one = true};
  if (!asked.definite) return {std::make_unique<Jacobi<T>>(queue, csr, options), nullptr, ""};
  return {std::make_unique<Jacobi<T>>(queue, with_positive_diagonal(csr), options), nullptr, "absolute values"};
}

template <class T>
Preconditioner<T> make_block_jacobi(Queue& queue, const PrecondSpec& spec, const Csr<T>& csr, const Operator<T>&,
                                    const PrecondOptions& asked) {
  BlockJacobiOptions options;
  options.size = spec.number;
  options.precision = asked.precision;
  options.singular_as_one = true;
  auto made = std::make_unique<BlockJacobi<T>>(queue, csr, options);
  std::string note =
      fmt::format("{} blocks of up to {} unknowns", made->blocks().num_blocks(), made->blocks().max_size());
  return {std::move(made), nullptr, std::move(note)};
}

template <class T>
Csr<T> with_fill(const Csr<T>& csr, int level) {
  constexpr Offset max_times = 50;           // as many entries as the matrix has,
  constexpr Offset max_entries = 8'000'000;  // and no more than that, unless they are few times as many
  const Offset own = csr.num_entries() + csr.num_rows;
  const Offset allowed = std::min(max_times * own, std::max(max_entries, 4 * own));
  return add_fill(csr.to(Device::host()), level, allowed).to(csr.device());
}

template <class T>
Preconditioner<T> with_report(Incomplete<T>&& factors) {
  std::string note = factors.report().text();
  return {std::make_unique<Incomplete<T>>(std::move(factors)), nullptr, std::move(note)};
}

// ILU(level), or IC(level) of a Hermitian matrix.
template <class T, bool hermitian>
Preconditioner<T> make_incomplete(Queue& queue, const PrecondSpec& spec, const Csr<T>& csr, const Operator<T>&,
                                  const PrecondOptions& asked) {
  IncompleteOptions options;
  options.precision = asked.precision;
  if (spec.number == 0) return with_report(Incomplete<T>(queue, csr, hermitian, options));
  const Csr<T> filled = with_fill(csr, spec.number);
  Preconditioner<T> made = with_report(Incomplete<T>(queue, filled, hermitian, options));
  made.note += fmt::format("; {} entries instead of {}", filled.num_entries(), csr.num_entries());
  return made;
}

template <class T>
Preconditioner<T> make_block_incomplete(Queue& queue, const PrecondSpec& spec, const Csr<T>& csr, const Operator<T>& a,
                                        const PrecondOptions& asked) {
  IncompleteOptions options;
  options.precision = asked.precision;
  const auto* stored = dynamic_cast<const SparseMatrix<T>*>(&a);
  if (spec.number == 0 && stored) return with_report(block_ilu0(queue, *stored, options));
  options.block = spec.number > 0 ? spec.number : find_blocks(sort_rows(csr.to(Device::host()))).size;
  return with_report(ilu0(queue, csr, options));
}

template <class T>
Preconditioner<T> make_polynomial(Queue& queue, const PrecondSpec& spec, const Csr<T>& csr, const Operator<T>& a,
                                  const PrecondOptions& asked) {
  constexpr double min_share = 1.0 / 30;  // what lies below is left to the method: damping it would take long
  const int degree = spec.number > 0 ? spec.number : 4;
  PrecondOptions diagonal = asked;
  diagonal.definite = true;
  std::unique_ptr<Operator<T>> inner = make_jacobi(queue, spec, csr, a, diagonal).op;
  SpectralBounds bounds = estimate_bounds(queue, a, *inner);
  bounds.smallest = std::max(bounds.smallest, bounds.largest * min_share);
  auto made = std::make_unique<ChebyshevPolynomial<T>>(a, *inner, bounds, degree);
  return {std::move(made), std::move(inner),
          fmt::format("degree {} on {:.3g} to {:.3g}, with Jacobi", degree, bounds.smallest, bounds.largest)};
}

template <class T>
Preconditioner<T> make_amg(Queue& queue, const PrecondSpec& spec, const Csr<T>& csr, const Operator<T>&,
                           const PrecondOptions& asked) {
  if constexpr (is_complex<T>) {
    throw Unsupported(join("amg: the numbers are ", scalar_name<T>(), "; float and double are accepted"));
  } else {
    AmgOptions options = read_amg_words(spec.words, asked.amg);
    if (options.precision == Precision::full) options.precision = asked.precision;
    auto made = std::make_unique<Amg<T>>(queue, csr, std::move(options));
    AmgReport report = made->report();
    std::string note = short_text(report);
    return {std::move(made), nullptr, std::move(note), std::move(report)};
  }
}

// hypre speaks MPI, which is started for it and ended with the program.
template <class T>
Preconditioner<T> make_boomer_amg(Queue& queue, const PrecondSpec&, const Csr<T>& csr, const Operator<T>&,
                                  const PrecondOptions& asked) {
  if constexpr (std::is_same_v<T, double>) {
    static int argc = 0;
    static char** argv = nullptr;
    static const MpiSession session(argc, argv);
    return {std::make_unique<BoomerAmg>(queue, csr, BoomerAmgOptions{.symmetric = asked.definite}), nullptr, ""};
  } else {
    throw Unsupported(join("boomeramg: hypre takes real numbers in double, not ", scalar_name<T>()));
  }
}

template <class T>
using Maker = Preconditioner<T> (*)(Queue&, const PrecondSpec&, const Csr<T>&, const Operator<T>&,
                                    const PrecondOptions&);

template <class T>
struct NamedMaker {
  PrecondFacts facts;
  Maker<T> make;
};

// THE table.
template <class T>
constexpr NamedMaker<T> table[] = {
    {{"none", PrecondNumber::none, "no preconditioner"}, make_identity<T>},
    {{"jacobi", PrecondNumber::none, "the inverse of the diagonal"}, make_jacobi<T>},
    {{"block-jacobi", PrecondNumber::size, "inverses of dense diagonal blocks of N rows, or of those that are found"},
     make_block_jacobi<T>},
    {{"ilu", PrecondNumber::level, "incomplete factors with fill of level K"}, make_incomplete<T, false>},
    {{"ic", PrecondNumber::level, "the same of a symmetric positive definite matrix"}, make_incomplete<T, true>},
    {{"block-ilu0", PrecondNumber::size, "incomplete factors of dense blocks of N rows, or of those of the format"},
     make_block_incomplete<T>},
    {{"chebyshev", PrecondNumber::size, "a polynomial of degree N, or 4, in the matrix scaled by its diagonal"},
     make_polynomial<T>},
    {{"amg", PrecondNumber::words, "a cycle of algebraic multigrid by smoothed aggregation"}, make_amg<T>},
    {{"boomeramg", PrecondNumber::none, "a cycle of algebraic multigrid by hypre, on one rank"}, make_boomer_amg<T>},
};
constexpr Index max_size = 1024, max_level = 20;

}  // namespace

std::string PrecondFacts::usage() const {
  switch (number) {
    case PrecondNumber::size:
      return std::string(name) + "[-N]";
    case PrecondNumber::level:
      return std::string(name) + "K";
    case PrecondNumber::words:
      return std::string(name) + "[:K=V,...]";
    default:
      return std::string(name);
  }
}

const std::vector<PrecondFacts>& preconditioners() {
  static const std::vector<PrecondFacts> all = [] {
    std::vector<PrecondFacts> found;
    for (const auto& row : table<double>) found.push_back(row.facts);
    return found;
  }();
  return all;
}

std::string precond_usage() {
  std::string text;
  for (const PrecondFacts& facts : preconditioners()) text += (text.empty() ? "" : " ") + facts.usage();
  return text;
}

PrecondSpec parse_precond(std::string_view text, std::string_view besides) {
  for (const PrecondFacts& facts : preconditioners()) {
    if (!text.starts_with(facts.name)) continue;
    const bool sized = facts.number == PrecondNumber::size;
    std::string_view rest = text.substr(facts.name.size());
    if (rest.empty() && facts.number != PrecondNumber::level) return {std::string(facts.name)};
    if (facts.number == PrecondNumber::words) {
      if (!rest.starts_with(':')) continue;
      rest.remove_prefix(1);
      require(!rest.empty(), "preconditioner '", text, "': nothing follows the colon; KEY=VALUE would");
      read_amg_words(rest);
      return {std::string(facts.name), 0, std::string(rest)};
    }
    if (facts.number == PrecondNumber::none || sized != rest.starts_with('-')) continue;
    if (sized) rest.remove_prefix(1);
    const Index min = sized ? 1 : 0, max = sized ? max_size : max_level;
    Index number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    require(error == std::errc{} && end == rest.data() + rest.size() && number >= min && number <= max,
            "preconditioner '", text, "': the number after ", facts.name, " must be ", min, " to ", max);
    return {std::string(facts.name), number};
  }
  require(false, "unknown preconditioner '", text, "'; there are: ", besides, besides.empty() ? "" : " ",
          precond_usage());
  return {};
}

bool needs_flexible(const PrecondSpec& spec) {
  return spec.name == "amg" && read_amg_words(spec.words).cycle == AmgCycle::k;
}

template <class T>
Preconditioner<T> make_preconditioner(Queue& queue, const PrecondSpec& spec, const Csr<T>& csr, const Operator<T>& a,
                                      const PrecondOptions& options) {
  const ThreadLimit limit(queue);
  require(a.shape() == csr.shape(), "preconditioner ", spec.name, ": the matrix is ", a.shape().rows, " x ",
          a.shape().cols, ", its entries are those of one of ", csr.num_rows, " x ", csr.num_cols);
  for (const NamedMaker<T>& row : table<T>)
    if (row.facts.name == spec.name) return row.make(queue, spec, csr, a, options);
  require(false, "unknown preconditioner '", spec.name, "'; there are: ", precond_usage());
  return {};
}

#define MILLRACE_INSTANTIATE(T)                                                                                 \
  template Preconditioner<T> make_preconditioner(Queue&, const PrecondSpec&, const Csr<T>&, const Operator<T>&, \
                                                 const PrecondOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
