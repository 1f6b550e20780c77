// The Hamiltonian row by row: hopping, repulsion, phonons and their coupling.
#include "millrace/sparse/gallery/holstein_hubbard.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "millrace/sparse/gallery/ring.hpp"
#include "millrace/sparse/gallery/rows.hpp"

namespace millrace::gallery {
namespace {

constexpr double min_coupling = 1e-12;  // smaller ones vanish in exact arithmetic

/// Everything that repeats along the rows, so that a row is only looked up.
struct Model {
  SpinSector up, down;
  PhononBasis phonons;
  double hopping;                 // -t
  std::vector<double> coupling;   // [num_up, num_down, num_modes], factor of b+_m + b_m; empty without phonons
  std::vector<char> coupled;      // the same shape: is it stored?
  std::vector<double> repulsion;  // [num_sites + 1], U times the doubly occupied sites
  std::vector<double> energy;     // [max_quanta + 1], omega times the quanta
  std::vector<double> root;       // [max_quanta + 1], square roots

  Index num_down() const { return static_cast<Index>(down.states.size()); }
  std::size_t num_modes() const { return static_cast<std::size_t>(phonons.num_modes); }
};

std::vector<double> multiples(double of, std::int64_t most) {
  std::vector<double> table;
  for (std::int64_t k = 0; k <= most; ++k) table.push_back(of * static_cast<double>(k));
  return table;
}

void couple(Model& model, const Values& values, int num_sites) {
  const auto modes = ring_modes(num_sites);
  const double strength = -(values.real("g") * values.real("omega"));
  const bool keep = values.flag("keep_zero_couplings");
  for (const std::uint32_t up : model.up.states)
    for (const std::uint32_t down : model.down.states)
      for (const auto& mode : modes) {
        double sum = 0;
        for (int j = 0; j < num_sites; ++j)
          sum += mode[static_cast<std::size_t>(j)] * ((up >> j & 1) + (down >> j & 1));
        model.coupling.push_back(strength * sum);
        model.coupled.push_back(keep || (std::abs(sum) >= min_coupling && strength != 0));
      }
}

Model make_model(const Values& values, int num_sites, int num_up, int num_down, int quanta) {
  Model model{make_spin_sector(num_sites, num_up),
              make_spin_sector(num_sites, num_down),
              make_phonon_basis(num_sites - 1, quanta),
              -values.real("t"),
              {},
              {},
              multiples(values.real("U"), num_sites),
              multiples(values.real("omega"), quanta),
              {}};
  if (model.hopping == 0)
    for (auto* sector : {&model.up, &model.down}) sector->hops.assign(sector->states.size(), {});
  if (quanta > 0) couple(model, values, num_sites);
  for (int n = 0; n <= quanta; ++n) model.root.push_back(std::sqrt(static_cast<double>(n)));
  return model;
}

/// Calls add(column, value) for all entries of a row, columns ascending.
template <class Add>
void for_entries(const Model& model, Index row, Add&& add) {
  const Index num_phonon = model.phonons.num_states, num_down = model.num_down();
  const Index p = row % num_phonon, e = row / num_phonon, d = e % num_down, u = e / num_down;
  const auto& up_hops = model.up.hops[static_cast<std::size_t>(u)];
  const auto& down_hops = model.down.hops[static_cast<std::size_t>(d)];
  const std::size_t modes = model.num_modes(), of_p = modes * static_cast<std::size_t>(p);
  const std::size_t of_e = modes * static_cast<std::size_t>(e);
  const bool shakes = !model.coupling.empty();

  std::size_t i = 0, j = 0;
  for (; i < up_hops.size() && up_hops[i].state < u; ++i)
    add(row + (up_hops[i].state - u) * num_down * num_phonon, model.hopping * up_hops[i].sign);
  for (; j < down_hops.size() && down_hops[j].state < d; ++j)
    add(row + (down_hops[j].state - d) * num_phonon, model.hopping * down_hops[j].sign);
  for (std::size_t m = 0; shakes && m < modes; ++m)
    if (const Index to = model.phonons.fewer[of_p + m]; to >= 0 && model.coupled[of_e + m])
      add(row + (to - p), model.coupling[of_e + m] * model.root[model.phonons.quanta[of_p + m]]);
  const int twice =
      std::popcount(model.up.states[static_cast<std::size_t>(u)] & model.down.states[static_cast<std::size_t>(d)]);
  add(row, model.repulsion[static_cast<std::size_t>(twice)] +
               model.energy[model.phonons.total[static_cast<std::size_t>(p)]]);
  for (std::size_t m = modes; shakes && m-- > 0;)
    if (const Index to = model.phonons.more[of_p + m]; to >= 0 && model.coupled[of_e + m])
      add(row + (to - p), model.coupling[of_e + m] * model.root[model.phonons.quanta[of_p + m] + std::size_t{1}]);
  for (; j < down_hops.size(); ++j) add(row + (down_hops[j].state - d) * num_phonon, model.hopping * down_hops[j].sign);
  for (; i < up_hops.size(); ++i)
    add(row + (up_hops[i].state - u) * num_down * num_phonon, model.hopping * up_hops[i].sign);
}

}  // namespace

Csr<double> make_holstein_hubbard(const Values& values, const Progress& progress) {
  const auto value = [&](std::string_view key) { return static_cast<int>(values.integer(key)); };
  const int num_sites = value("sites"), num_up = value("up"), num_down = value("down"), quanta = value("quanta");
  require(num_up <= num_sites && num_down <= num_sites, values.name(), ": ", num_up, " up and ", num_down,
          " down electrons do not fit on ", num_sites, " sites; each spin takes 0..", num_sites);
  const double num_phonon = binomial(num_sites - 1 + quanta, quanta);
  constexpr double most = std::numeric_limits<Index>::max();
  const double rows = binomial(num_sites, num_up) * binomial(num_sites, num_down) * num_phonon;
  require(rows <= most, values.name(), ": ", binomial(num_sites, num_up), " up x ", binomial(num_sites, num_down),
          " down x ", num_phonon, " phonon states would make ", rows, " rows; at most ", most, " are possible");

  values.require_memory(rows, rows * (1 + 2 * num_sites));  // phonons alone; hops come on top of it

  const Model model = make_model(values, num_sites, num_up, num_down, quanta);
  const auto length = [&](Index row) {
    std::int64_t count = 0;
    for_entries(model, row, [&](Index, double) { ++count; });
    return count;
  };
  const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
    std::size_t k = 0;
    for_entries(model, row, [&](Index col, double val) {
      cols[k] = col;
      vals[k++] = val;
    });
  };
  return from_rows(static_cast<Index>(rows), values, progress, length, fill);
}

}  // namespace millrace::gallery
