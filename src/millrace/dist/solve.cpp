// The facts over all ranks, the format, and the tries.
#include "millrace/dist/solve.hpp"

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/together.hpp"
#include "millrace/base/trim.hpp"
#include "millrace/dist/facts.hpp"
#include "millrace/dist/system.hpp"
#include "millrace/precond/by_name.hpp"
#include "millrace/solve/by_name.hpp"
#include "millrace/tune/tries.hpp"

namespace millrace {

void check_options(const AutoOptions& options, int num_ranks, bool reproducible) {
  check_options(options);
  const auto for_one = [&](const std::string& what, const std::string& accepted) {
    throw Unsupported(join(what, " works on one rank, and there are ", num_ranks, "; on many: ", accepted));
  };
  if (num_ranks > 1 && direct_kind(options.method)) for_one("method " + options.method, "auto " + method_names());
  if (num_ranks > 1 && options.precond == "boomeramg")
    for_one("preconditioner boomeramg (hypre)", "amg and all others");
  for (const std::string& word : order_words(options.order))
    if (num_ranks > 1 && word != "scale" && word != "negate") for_one("order " + word, "scale and negate");
  if (!reproducible) return;
  const std::string name = options.precond == "auto" ? "jacobi" : parse_precond(options.precond).name;
  require<Unsupported>(name == "none" || name == "jacobi" || name == "chebyshev",
                       "the bits of one rank are kept with the preconditioners none, jacobi and chebyshev; ",
                       options.precond, " was asked for");
}

template <class T>
AutoReport solve(Queue& queue, const Comm& comm, GlobalRows<T> rows, std::type_identity_t<Vectors<const T>> b,
                 std::type_identity_t<Vectors<T>> x, const AutoOptions& options, const DistributedOptions& how) {
  const ThreadLimit limit(queue);
  together(comm, [&] {
    check_options(options, comm.size(), how.reproducible);
    require(b.num == x.num && b.num >= 1 && b.size == rows.num_rows() && x.size == rows.num_rows(),
            "solve: this rank has ", rows.num_rows(), " rows, so b and x need as many vectors of that size; they have ",
            b.num, " of ", b.size, " and ", x.num, " of ", x.size);
    require<Unsupported>(!how.reproducible || queue.device().on_host() || comm.size() == 1,
                         "solve: the bits of one rank are kept on the host; ", to_string(queue.device()),
                         " was asked for");
    require<Unsupported>(!options.mixed || sizeof(RealOf<T>) == 8, "solve: mixed precision was asked for, but the ",
                         "numbers are ", scalar_name<T>(), " already; it takes double or complex-double");
  });
  HaloRows<T> here = with_halo(comm, rows);
  rows = {};  // its memory is for the matrix
  here.rows = together(comm, [&] { return sort_rows(here.rows); });
  if (here.parts.num_rows() == 0) {
    AutoReport report;
    report.reason = "there are no unknowns";
    return report;
  }
  const SystemFacts facts = system_facts(comm, here);
  const bool choose = options.format == "auto";
  const FormatChoice format = !choose            ? FormatChoice{options.format, ""}
                              : how.reproducible ? FormatChoice{"csr", "it keeps the bits of one rank"}
                                                 : choose_format(comm, here, queue.device());
  give_freed_memory_back();
  DistributedSystem<T> system(queue, comm, here, how, format, facts.hermitian);
  PlanRequest request = plan_request<T>(options);
  request.num_ranks = comm.size();
  if (how.reproducible && options.precond == "auto") request.precond = "jacobi";
  return run_tries<T>(system, facts, format, request, b, x, options);
}

#define MILLRACE_INSTANTIATE(T)                                                                         \
  template AutoReport solve(Queue&, const Comm&, GlobalRows<T>, std::type_identity_t<Vectors<const T>>, \
                            std::type_identity_t<Vectors<T>>, const AutoOptions&, const DistributedOptions&);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
