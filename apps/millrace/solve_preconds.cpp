// Makes a preconditioner from its name, so that a zero on the diagonal is a note and not an end.
#include "solve_preconds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "millrace/base/error.hpp"
#include "millrace/precond/block_jacobi.hpp"
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
Preconditioner<T> make_incomplete(Queue& queue, const PrecondRequest& request, const Csr<T>& csr,
                                  const SparseMatrix<T>& a) {
  IncompleteOptions options;
  options.precision = request.precision;
  const std::string& name = request.spec.name;
  const auto keep = [](Incomplete<T>&& factors) -> Preconditioner<T> {
    std::string note = factors.report().text();
    return {std::make_unique<Incomplete<T>>(std::move(factors)), nullptr, std::move(note)};
  };
  if (name == "ic0") return keep(ic0(queue, csr, options));
  if (name == "ilu0") return keep(ilu0(queue, csr, options));
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

struct Kind {
  std::string_view name;
  bool sized;
};
constexpr Kind kinds[] = {{"none", false}, {"jacobi", false},    {"block-jacobi", true}, {"ilu0", false},
                          {"ic0", false},  {"block-ilu0", true}, {"chebyshev", true}};

}  // namespace

std::string precond_usage() {
  std::string text;
  for (const Kind& kind : kinds)
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", kind.name, kind.sized ? "[-N]" : "");
  return text;
}

PrecondSpec parse_precond(std::string_view text) {
  for (const Kind& kind : kinds) {
    if (text == kind.name) return {std::string(text)};
    if (!kind.sized || !text.starts_with(kind.name) || text[kind.name.size()] != '-') continue;
    const std::string_view digits = text.substr(kind.name.size() + 1);
    Index size = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    require(error == std::errc{} && end == digits.data() + digits.size() && size >= 1 && size <= 1024, "'", text,
            "': the number behind ", kind.name, "- must be 1 to 1024");
    return {std::string(kind.name), size};
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
