// The list of orderings, and the two that need no graph.
#include "millrace/sparse/order.hpp"

#include <algorithm>
#include <array>
#include <complex>

#include "millrace/sparse/pattern/order_graph.hpp"

namespace millrace {
namespace {

struct Entry {
  Ordering ordering;
  std::string_view name;
  bool here;                 // in this build
  std::string_view library;  // that it needs
};
constexpr std::array<Entry, 5> entries{{
    {Ordering::none, "none", true, ""},
    {Ordering::descending, "descending", true, ""},
    {Ordering::amd, "amd", MILLRACE_WITH_AMD != 0, "SuiteSparse AMD"},
    {Ordering::rcm, "rcm", true, ""},
    {Ordering::metis, "metis", MILLRACE_WITH_METIS != 0, "METIS"},
}};

const Entry& entry_of(Ordering ordering) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.ordering == ordering; });
  require(found != entries.end(), "ordering: there is none with number ", static_cast<int>(ordering));
  return *found;
}

void require_here(const Entry& entry) {
  require<Unsupported>(entry.here, "ordering '", entry.name, "' was asked for, but this build has no ", entry.library,
                       "; it has: ", ordering_names());
}

template <class T>
std::vector<Index> longest_first(const Csr<T>& a) {
  std::vector<Index> length(static_cast<std::size_t>(a.num_rows)), order = natural_order(a.num_rows);
  a.visit_view([&](const auto& view) {
    for (Index r = 0; r < view.num_rows; ++r) length[static_cast<std::size_t>(r)] = view.length(r);
  });
  std::stable_sort(order.begin(), order.end(), [&](Index r, Index other) {
    return length[static_cast<std::size_t>(r)] > length[static_cast<std::size_t>(other)];
  });
  return order;
}

}  // namespace

std::string_view to_string(Ordering ordering) { return entry_of(ordering).name; }

std::string ordering_names() {
  std::string names;
  for (const Entry& entry : entries)
    if (entry.here) names += join(names.empty() ? "" : " ", entry.name);
  return names;
}

Ordering parse_ordering(std::string_view text) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == text; });
  require(found != entries.end(), "unknown ordering '", text, "'; this build has: ", ordering_names());
  require_here(*found);
  return found->ordering;
}

template <class T>
std::vector<Index> make_ordering(const Csr<T>& a, Ordering ordering) {
  const Entry& entry = entry_of(ordering);
  require(a.device().on_host(), "ordering: the matrix lives on ", to_string(a.device()), "; copy it to the host first");
  check_csr(a);
  require_here(entry);
  const bool any_shape = ordering == Ordering::none || ordering == Ordering::descending;
  require(any_shape || a.num_rows == a.num_cols, "ordering '", entry.name, "' needs a square matrix; this one is ",
          a.num_rows, " x ", a.num_cols);
  switch (ordering) {
    case Ordering::descending:
      return longest_first(a);
    case Ordering::amd:
      return order_amd(a);
    case Ordering::rcm:
      return order_rcm(make_graph(a));
    case Ordering::metis:
      return order_metis(make_graph(a));
    case Ordering::none:
      break;
  }
  return natural_order(a.num_rows);
}

template std::vector<Index> make_ordering(const Csr<float>&, Ordering);
template std::vector<Index> make_ordering(const Csr<double>&, Ordering);
template std::vector<Index> make_ordering(const Csr<std::complex<float>>&, Ordering);
template std::vector<Index> make_ordering(const Csr<std::complex<double>>&, Ordering);

}  // namespace millrace
