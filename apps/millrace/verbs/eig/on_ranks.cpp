// Eigenvalues on many ranks: Lanczos and the kernel polynomial method, for both need products alone.
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/dist/facts.hpp"
#include "verbs/eig/run.hpp"
#include "verbs/files.hpp"

namespace millrace::command {

void Eig::run_on_ranks() {
  const Comm world = Comm::world();
  together(world, [&] {
    const char* needs_factors = arguments_.near                 ? "--near"
                                : !arguments_.mass.empty()      ? "--mass"
                                : arguments_.method == "invert" ? "--method invert"
                                                                : nullptr;
    require<Unsupported>(!needs_factors || world.size() == 1, needs_factors,
                         ": shift-and-invert works on one rank, and there are ", world.size(),
                         "; --lowest and --highest work on many");
    require<Unsupported>(!needs_factors, needs_factors, ": shift-and-invert takes none of --partition, --mode and ",
                         "--reproducible");
  });
  AnyRows any = read_or_make_rows(arguments_.matrix, arguments_.max_memory, arguments_.ranks.reproducible);
  summary_.matrix = facts_of_rows(arguments_.matrix, any);
  summary_.num_ranks = world.size();
  together(world, [&] { check_square(summary_.matrix, "eig", "it has no eigenvalues"); });
  std::visit(
      [&]<class T>(const GlobalRows<T>& rows) {
        HaloRows<T> here = with_halo(world, rows);
        here.rows = sort_rows(here.rows);
        const double found = find_symmetry(world, here).asymmetry;
        together(world, [&] { check_symmetry(found, summary_.matrix.name, is_complex<T>); });
      },
      any);
  summary_.precision = precision_of_rows(any, arguments_.precision);
  with_precision(summary_.precision, [&]<class T>() { run_on_ranks<T>(rows_in_precision<T>(std::move(any))); });
}

template <class T>
void Eig::run_on_ranks(GlobalRows<T> as_read) {
  const Comm world = Comm::world();
  const bool reproducible = arguments_.ranks.reproducible;
  note_request();
  together(world, [&] { check_count(); });
  SpreadRows<T> spread(world, std::move(as_read), arguments_.ranks.partition_kind(),
                       reproducible ? Comm::reproducible_rows : 1);
  const std::int64_t rows = spread.parts().size(world.rank());
  HaloRows<T> here = with_halo(world, spread.take());
  here.rows = together(world, [&] { return sort_rows(here.rows); });
  DistributedOptions how = arguments_.ranks.how();
  const FormatChoice format = arguments_.format != "auto" ? FormatChoice{arguments_.format, ""}
                              : reproducible              ? FormatChoice{"csr", "it keeps the bits of one rank"}
                                                          : choose_format(world, here, queue_.device());
  how.format = format.format;
  how.device = queue_.device();
  const DistributedMatrix<T> a(world, here, how);
  here = {};
  summary_.format = format.format;
  summary_.format_reason = (format.reason.empty() ? "" : format.reason + "; ") + a.details();
  Array<T> start;
  if (!arguments_.start.empty()) {
    const std::vector<T> dealt =
        spread.from_file(together(world, [&] { return world.rank() == 0 ? read_start<T>() : std::vector<T>(); }), 1);
    start = Array<T>(std::span<const T>(dealt)).to(queue_.device());
  }
  print(eig_head(summary_, style_));
  if (summary_.num > 0) {
    Progress progress("lanczos");
    Array<T> vectors(queue_.device(), arguments_.vectors.empty() ? 0 : summary_.num * rows);
    const Vectors<T> room =
        arguments_.vectors.empty() ? Vectors<T>{} : Vectors<T>(queue_.device(), vectors.data(), rows, summary_.num);
    summary_.method = "lanczos";
    summary_.values = lanczos(queue_, a, summary_.num, eigen_options(progress, sizeof(RealOf<T>) == 4), room,
                              arguments_.start.empty() ? Vectors<const T>{} : Vectors<const T>(start));
    if (arguments_.method == "auto" && summary_.values.end == SolveEnd::max_iterations && world.size() > 1)
      summary_.tried = "shift-and-invert, which would come next, works on one rank";
    if (!arguments_.vectors.empty()) {
      const std::vector<T> all = spread.to_file(vectors.to_vector(), summary_.num);
      together(world, [&] {
        if (world.rank() == 0)
          write_vectors<T>(arguments_.vectors, all, summary_.num,
                           {.comment = "eigenvectors, in the order of the eigenvalues"});
      });
    }
  }
  if (!arguments_.density.empty()) {
    Progress progress("kernel polynomial method");
    summary_.density = kpm(queue_, a, kpm_options());
    together(world, [&] { write_density(); });
  }
  print(eig_text(summary_, style_));
}

}  // namespace millrace::command
