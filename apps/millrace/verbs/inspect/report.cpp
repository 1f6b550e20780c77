// Writes statistics, the histogram of row lengths and the cost of every format.
#include "verbs/inspect/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "terminal/table.hpp"

namespace millrace::command {

namespace {

double zeros_share(const Footprint& f) {
  const Offset stored = f.num_entries + f.artificial_zeros;
  return stored == 0 ? 0 : static_cast<double>(f.artificial_zeros) / static_cast<double>(stored);
}

double bytes_per_entry(const Footprint& f) {
  return f.num_entries == 0 ? 0 : static_cast<double>(f.bytes) / static_cast<double>(f.num_entries);
}

std::string blocks_text(const MatrixStats& s) {
  if (s.block_size <= 1) return "no dense blocks found";
  return fmt::format("{} x {}, {} full", s.block_size, s.block_size, percent_text(s.block_fill));
}

std::string facts_text(const Inspection& i) {
  const MatrixStats& s = i.stats;
  const auto line = [](std::string_view name, const std::string& value) {
    return fmt::format("{:<14}{}\n", name, value);
  };
  const double cells = static_cast<double>(s.num_rows) * static_cast<double>(s.num_cols);
  std::string text;
  text += line("size", fmt::format("{} x {}, {}", count_text(s.num_rows), count_text(s.num_cols),
                                   i.complex ? "complex" : "real"));
  text +=
      line("nonzeros", fmt::format("{} ({:.3g} % of all positions), {} of them stored zeros", count_text(s.num_entries),
                                   cells > 0 ? 100 * static_cast<double>(s.num_entries) / cells : 0.0,
                                   count_text(s.explicit_zeros)));
  text += line("row length", fmt::format("{} to {}, mean {:.2f}, standard deviation {:.2f}", count_text(s.row_min),
                                         count_text(s.row_max), s.row_mean, s.row_std));
  text += line("empty", fmt::format("{} rows, {} columns; longest column {}", count_text(s.empty_rows),
                                    count_text(s.empty_cols), count_text(s.col_max)));
  text += line("bandwidth", fmt::format("{} below and {} above the diagonal, mean distance {:.3g}",
                                        count_text(s.lower_bandwidth), count_text(s.upper_bandwidth), s.mean_distance));
  text += line("diagonals", fmt::format("{} occupied; the main one has {} entries{}", count_text(s.num_diagonals),
                                        count_text(s.diagonal_entries), s.full_diagonal ? " (all)" : ""));
  text += line("symmetry", symmetry_text(s, i.complex));
  text += line("blocks", blocks_text(s));
  return text;
}

}  // namespace

std::string symmetry_text(const MatrixStats& s, bool complex) {
  if (s.num_rows != s.num_cols) return "none: not square";
  if (s.num_entries > s.diagonal_entries) {
    if (s.numerically_symmetric) return "symmetric";
    if (complex && s.hermitian) return "Hermitian";
    if (s.skew) return "skew-symmetric";
    if (s.pattern_symmetric) return fmt::format("pattern symmetric, {} of the values", percent_text(s.value_symmetry));
    return fmt::format("none: {} of the off-diagonal entries have a partner, {} an equal one",
                       percent_text(s.pattern_symmetry), percent_text(s.value_symmetry));
  }
  return "diagonal";
}

std::string histogram_text(const MatrixStats& stats, const Style& style) {
  Offset most = 1;
  for (const HistogramBin& bin : stats.row_histogram) most = std::max(most, bin.count);
  Table table({{"row length", Table::Align::right}, {"rows"}});
  for (const HistogramBin& bin : stats.row_histogram)
    table.add({bin.from == bin.to ? count_text(bin.from) : count_text(bin.from) + " - " + count_text(bin.to),
               count_text(bin.count)},
              static_cast<double>(bin.count) / static_cast<double>(most));
  return table.text(style);
}

std::string inspection_text(const Inspection& i, const Style& style) {
  std::string text = bold(i.matrix.name, style) + (i.order == "none" ? "" : ", reordered by " + i.order) + '\n';
  text += facts_text(i) + '\n' + histogram_text(i.stats, style) + '\n';
  Table table(
      {{"format", Table::Align::left}, {"bytes"}, {"a nonzero"}, {"artificial zeros"}, {"share"}, {"predicted"}});
  double fastest = HUGE_VAL;
  for (const FormatLine& f : i.formats)
    if (f.refused.empty()) fastest = std::min(fastest, f.prediction.seconds);
  for (const FormatLine& f : i.formats)
    if (f.refused.empty())
      table.add({f.format, bytes_text(static_cast<double>(f.footprint.bytes)),
                 fmt::format("{:.2f}", bytes_per_entry(f.footprint)), count_text(f.footprint.artificial_zeros),
                 percent_text(zeros_share(f.footprint)), seconds_text(f.prediction.seconds)},
                fastest / f.prediction.seconds);
    else
      table.add({f.format, "-", "-", "-", "-", "-"});
  text += table.text(style);
  for (const FormatLine& f : i.formats)
    if (!f.details.empty()) text += dim(fmt::format("{}: {}", f.format, f.details), style) + '\n';
  for (const FormatLine& f : i.formats)
    if (!f.refused.empty()) text += fmt::format("{}: {}\n", f.format, f.refused);
  return text +
         dim(fmt::format("predicted: one product in {} on {}, by the bytes it must move at {:.1f} GB/s; "
                         "bars: speed",
                         i.precision, i.device, i.bandwidth.read * 1e-9),
             style) +
         '\n';
}

nlohmann::ordered_json inspection_json(const Inspection& i) {
  using Json = nlohmann::ordered_json;
  const MatrixStats& s = i.stats;
  Json histogram = Json::array(), formats = Json::array();
  for (const HistogramBin& bin : s.row_histogram)
    histogram.push_back({{"from", bin.from}, {"to", bin.to}, {"rows", bin.count}});
  for (const FormatLine& f : i.formats)
    formats.push_back(f.refused.empty() ? Json{{"format", f.format},
                                               {"details", f.details},
                                               {"bytes", f.footprint.bytes},
                                               {"moved_bytes", f.footprint.moved_bytes},
                                               {"bytes_per_entry", bytes_per_entry(f.footprint)},
                                               {"artificial_zeros", f.footprint.artificial_zeros},
                                               {"artificial_zeros_percent", 100 * zeros_share(f.footprint)},
                                               {"predicted_us", f.prediction.seconds * 1e6},
                                               {"why", f.prediction.why}}
                                        : Json{{"format", f.format}, {"refused", f.refused}});
  return {{"schema", "millrace.inspect"},
          {"version", 1},
          {"matrix", {{i.matrix.from_file ? "file" : "spec", i.matrix.name}, {"hash", i.matrix.hash}}},
          {"order", i.order},
          {"complex", i.complex},
          {"rows", s.num_rows},
          {"cols", s.num_cols},
          {"entries", s.num_entries},
          {"explicit_zeros", s.explicit_zeros},
          {"row_length", {{"min", s.row_min}, {"max", s.row_max}, {"mean", s.row_mean}, {"std", s.row_std}}},
          {"row_histogram", std::move(histogram)},
          {"empty_rows", s.empty_rows},
          {"empty_cols", s.empty_cols},
          {"col_max", s.col_max},
          {"lower_bandwidth", s.lower_bandwidth},
          {"upper_bandwidth", s.upper_bandwidth},
          {"mean_distance", s.mean_distance},
          {"num_diagonals", s.num_diagonals},
          {"diagonal_entries", s.diagonal_entries},
          {"symmetry",
           {{"pattern", s.pattern_symmetric},
            {"numerical", s.numerically_symmetric},
            {"hermitian", s.hermitian},
            {"skew", s.skew},
            {"pattern_share", s.pattern_symmetry},
            {"value_share", s.value_symmetry}}},
          {"block_size", s.block_size},
          {"block_fill", s.block_fill},
          {"precision", i.precision},
          {"device", i.device},
          {"read_gb_s", i.bandwidth.read * 1e-9},
          {"formats", std::move(formats)}};
}

}  // namespace millrace::command
