// Writes eigenvalues, their residuals, and the density of all of them.
#include "verbs/eig/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/record.hpp"
#include "verbs/ranks.hpp"

namespace millrace::command {

using Json = nlohmann::ordered_json;

namespace {

std::string work_text(double seconds, int products, double bytes) {
  if (products == 0 || !(seconds > 0)) return seconds_text(seconds);
  const double each = seconds / products;
  return fmt::format("{}, {} products, {} each with all that goes with it: {}, {:.1f} GB/s", seconds_text(seconds),
                     products, seconds_text(each), bytes_text(bytes), bytes / each * 1e-9);
}

/// The density over the interval in columns of a terminal, each as high as its mean.
std::string density_plot(const KpmReport& d, const Style& style) {
  constexpr int height = 8;
  const int width = std::min(72, style.width - 2);
  std::vector<double> sums(static_cast<std::size_t>(width)), counts(static_cast<std::size_t>(width));
  const double low = d.energies.front(), span = d.energies.back() - low;
  for (std::size_t k = 0; k < d.energies.size(); ++k) {
    const auto c = static_cast<std::size_t>(std::clamp((d.energies[k] - low) / span * width, 0.0, width - 1.0));
    sums[c] += d.density[k];
    counts[c] += 1;
  }
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = counts[c] > 0 ? sums[c] / counts[c] : c > 0 ? sums[c - 1] : 0;
  const double top = *std::max_element(sums.begin(), sums.end());
  static constexpr const char* eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (int row = height - 1; row >= 0; --row) {
    std::string cells;
    for (const double value : sums) {
      const double share = std::clamp(value / top * height - row, 0.0, 1.0);
      cells += style.unicode ? eighths[std::lround(8 * share)] : share >= 0.5 ? "#" : " ";
    }
    cells.erase(cells.find_last_not_of(' ') + 1);
    text += " " + cells + '\n';
  }
  return text + fmt::format(" {:<{}.4g}{:.4g}\n", low, std::max(1, width - 8), d.energies.back());
}

}  // namespace

std::string eig_head(const EigSummary& s, const Style& style) {
  const std::string threads = s.num_threads > 0 ? ", " + workers_text(s.num_ranks, s.num_threads) : "";
  std::string text =
      fmt::format("{}: {} x {}, {} nonzeros, {}, {}{}\n", bold(s.matrix.name, style), count_text(s.matrix.rows),
                  count_text(s.matrix.cols), count_text(s.matrix.entries), s.precision, s.device, threads);
  if (!s.mass.name.empty())
    text += named_line("mass", fmt::format("{}, {} nonzeros", s.mass.name, count_text(s.mass.entries)));
  if (!s.format.empty())
    text += folded_line("format", s.format_reason.empty() ? s.format : fmt::format("{}: {}", s.format, s.format_reason),
                        style);
  return text;
}

std::string eig_text(const EigSummary& s, const Style& style) {
  std::string text;
  if (s.num > 0) {
    if (!s.tried.empty()) text += folded_line("before", s.tried, style);
    if (s.method == "invert")
      text += folded_line(
          "factors",
          fmt::format("{}; shift {:.9g}, {} factorisations in all", s.factorisation, s.sigma, s.num_factorisations),
          style);
    text += folded_line(s.method, fmt::format("{}: {}", to_string(s.values.end), s.values.reason), style);
    const std::string name = s.which == "near" ? fmt::format("near {:.4g}", s.near) : s.which;
    for (std::size_t k = 0; k < s.values.values.size(); ++k)
      text += named_line(k == 0 ? name : "", fmt::format("{:>22.15g}   residual {:.1e}", s.values.values[k],
                                                         k < s.values.residuals.size() ? s.values.residuals[k] : NAN));
    text +=
        named_line("count", s.values.verified ? "verified: nothing was missed" : "NOT VERIFIED: some may be missing");
    text += folded_line("time", work_text(s.values.seconds, s.values.iterations, s.values.iteration_bytes), style);
  }
  if (s.density.energies.empty()) return text;
  text += named_line("density", fmt::format("{} moments, eigenvalues between {:.6g} and {:.6g}",
                                            s.density.moments.size(), s.density.low, s.density.high));
  text += named_line("time", fmt::format("{} for {} products", seconds_text(s.density.seconds), s.density.iterations));
  return text + density_plot(s.density, style);
}

Json eig_json(const EigSummary& s) {
  Json json = record_head("millrace.eig");
  json.update({{"matrix", matrix_json(s.matrix)},
               {"precision", s.precision},
               {"device", s.device},
               {"ranks", s.num_ranks},
               {"threads", s.num_threads},
               {"format", s.format},
               {"format_reason", s.format_reason}});
  if (!s.mass.name.empty()) json["mass"] = matrix_json(s.mass);
  if (s.num > 0) {
    Json& found = json[s.which];
    found = {{"end", to_string(s.values.end)},
             {"reason", s.values.reason},
             {"method", s.method},
             {"values", s.values.values},
             {"residuals", s.values.residuals},
             {"verified", s.values.verified},
             {"check", s.values.check},
             {"products", s.values.iterations},
             {"check_products", s.values.check_iterations},
             {"restarts", s.values.restarts},
             {"seconds", s.values.seconds},
             {"iteration_bytes", s.values.iteration_bytes}};
    if (s.which == "near") found["near"] = s.near;
    if (!s.tried.empty()) found["before"] = s.tried;
    if (s.method == "invert")
      found.update({{"sigma", s.sigma}, {"factorisation", s.factorisation}, {"factorisations", s.num_factorisations}});
  }
  if (!s.density.energies.empty())
    json["density"] = {
        {"end", to_string(s.density.end)}, {"reason", s.density.reason},       {"low", s.density.low},
        {"high", s.density.high},          {"products", s.density.iterations}, {"seconds", s.density.seconds},
        {"moments", s.density.moments},    {"energies", s.density.energies},   {"density", s.density.density}};
  return json;
}

std::string density_svg(const EigSummary& s) {
  constexpr double width = 720, height = 320, left = 20, right = 700, top = 40, bottom = 270;
  const KpmReport& d = s.density;
  if (d.energies.empty()) return "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n";
  const double low = d.energies.front(), span = d.energies.back() - low;
  const double highest = *std::max_element(d.density.begin(), d.density.end());
  const auto x_of = [&](double energy) { return left + (energy - low) / span * (right - left); };
  std::string points;
  for (std::size_t k = 0; k < d.energies.size(); ++k)
    points += fmt::format("{:.2f},{:.2f} ", x_of(d.energies[k]), bottom - d.density[k] / highest * (bottom - top));
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"22\">Density of the {3} eigenvalues, {4} moments</text>\n"
      "<polyline points=\"{5}\" fill=\"none\" stroke=\"#0b6fa4\" stroke-width=\"1.2\"/>\n"
      "<line x1=\"{2}\" y1=\"{6}\" x2=\"{7}\" y2=\"{6}\" stroke=\"black\"/>\n",
      width, height, left, count_text(s.matrix.rows), d.moments.size(), points, bottom, right);
  for (int tick = 0; tick <= 6; ++tick) {
    const double energy = low + span * tick / 6;
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"black\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.4g}</text>\n",
        x_of(energy), bottom, bottom + 5, bottom + 20, energy);
  }
  return text + "</svg>\n";
}

}  // namespace millrace::command
