// States of electrons and phonons on a ring, in a fixed order.
#include "millrace/sparse/gallery/ring.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace millrace::gallery {
namespace {

constexpr double two_pi = 0x1.921fb54442d18p+2;

/// 1 - x^2/(1 2) + x^4/(1 2 3 4) - ..., or the same from the factor after `first`, for 0 <= x <= pi/4. The
/// products go through fma, which every machine rounds alike.
double alternating_series(double x, int first) {
  double sum = 1;
  for (int k = first + 22; k > first; k -= 2) sum = std::fma(-(x * x) / static_cast<double>((k - 1) * k), sum, 1.0);
  return sum;
}

}  // namespace

double cos_of_turn(std::int64_t k, std::int64_t n) {
  std::int64_t a = (k % n + n) % n * 8, full = n * 8;  // the angle is a / full of a turn
  if (2 * a > full) a = full - a;
  const bool negative = 4 * a > full;
  if (negative) a = full / 2 - a;
  const bool near_quarter = 8 * a > full;
  if (near_quarter) a = full / 4 - a;
  const double x = two_pi * static_cast<double>(a) / static_cast<double>(full);
  const double size = near_quarter ? x * alternating_series(x, 1) : alternating_series(x, 0);
  return negative ? -size : size;
}

double sin_of_turn(std::int64_t k, std::int64_t n) { return cos_of_turn(4 * k - n, 4 * n); }

std::vector<std::vector<double>> ring_modes(int num_sites) {
  std::vector<std::vector<double>> modes;
  const auto add = [&](double norm, auto&& shape) {
    auto& mode = modes.emplace_back();
    for (int j = 0; j < num_sites; ++j) mode.push_back(norm * shape(j));
  };
  const double pair_norm = std::sqrt(2.0 / num_sites);
  for (int k = 1; 2 * k < num_sites; ++k) {
    add(pair_norm, [&](int j) { return cos_of_turn(k * j, num_sites); });
    add(pair_norm, [&](int j) { return sin_of_turn(k * j, num_sites); });
  }
  if (num_sites % 2 == 0) add(1 / std::sqrt(static_cast<double>(num_sites)), [](int j) { return j % 2 ? -1.0 : 1.0; });
  return modes;
}

SpinSector make_spin_sector(int num_sites, int num_electrons) {
  SpinSector sector;
  std::vector<Index> state_of(std::size_t{1} << num_sites, -1);
  for (std::uint32_t mask = 0; mask < state_of.size(); ++mask)
    if (std::popcount(mask) == num_electrons) {
      state_of[mask] = static_cast<Index>(sector.states.size());
      sector.states.push_back(mask);
    }
  const int num_bonds = num_sites > 2 ? num_sites : num_sites - 1;
  for (const std::uint32_t mask : sector.states) {
    auto& hops = sector.hops.emplace_back();
    for (int site = 0; site < num_bonds; ++site) {
      const int next = (site + 1) % num_sites;
      const std::uint32_t ends = (1u << site) | (1u << next);
      if (std::popcount(mask & ends) != 1) continue;
      const bool passes_odd = next == 0 && num_electrons % 2 == 0;  // all other electrons lie in between
      hops.push_back({state_of[mask ^ ends], passes_odd ? -1.0 : 1.0});
    }
    std::sort(hops.begin(), hops.end(), [](auto a, auto b) { return a.state < b.state; });
  }
  return sector;
}

double binomial(int n, int k) {
  double result = k < 0 || k > n ? 0 : 1;
  for (int i = 1; i <= k && result > 0; ++i) result = result * (n - k + i) / i;
  return result;
}

PhononBasis make_phonon_basis(int num_modes, int max_quanta) {
  PhononBasis basis{num_modes, max_quanta, static_cast<Index>(binomial(num_modes + max_quanta, num_modes)), {}, {},
                    {},        {}};
  const auto modes = static_cast<std::size_t>(num_modes), states = static_cast<std::size_t>(basis.num_states);
  basis.quanta.resize(states * modes);
  basis.total.resize(states);
  std::vector<std::uint8_t> now(modes);
  for (std::size_t s = 0, total = 0; s < states; ++s) {
    std::copy(now.begin(), now.end(), basis.quanta.begin() + static_cast<std::ptrdiff_t>(s * modes));
    basis.total[s] = static_cast<std::uint8_t>(total);
    for (std::size_t m = modes; m-- > 0;) {  // count up; a full mode is emptied and the one before goes on
      if (total < static_cast<std::size_t>(max_quanta)) {
        ++now[m];
        ++total;
        break;
      }
      total -= now[m];
      now[m] = 0;
    }
  }
  // The number of a state: for each mode, the states that have fewer quanta there and equal ones before.
  const auto number_of = [&](std::span<const std::uint8_t> quanta) {
    double number = 0;
    int left = max_quanta;
    for (int m = 0; m < num_modes; ++m) {
      const int after = num_modes - 1 - m, here = quanta[static_cast<std::size_t>(m)];
      for (int q = 0; q < here; ++q) number += binomial(left - q + after, after);
      left -= here;
    }
    return static_cast<Index>(number);
  };
  basis.fewer.assign(states * modes, -1);
  basis.more.assign(states * modes, -1);
  for (std::size_t s = 0; s < states; ++s) {
    const std::span<std::uint8_t> quanta(basis.quanta.data() + s * modes, modes);
    for (std::size_t m = 0; m < modes && basis.total[s] < max_quanta; ++m) {
      ++quanta[m];
      const Index more = number_of(quanta);
      --quanta[m];
      basis.more[s * modes + m] = more;
      basis.fewer[static_cast<std::size_t>(more) * modes + m] = static_cast<Index>(s);
    }
  }
  return basis;
}

}  // namespace millrace::gallery
