// Writes the table of a benchmark and the lines below it.
#include "bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "table.hpp"

namespace millrace::command {

namespace {

std::string limit_line(const Point& best, const Bandwidth& limit) {
  const std::int64_t cache = facts(parse_device(best.device)).cache_bytes;
  const std::string line = fmt::format(
      "memory limit: {} moves {} at {:.1f} GB/s, {} of the {:.1f} GB/s that reading reaches here;\n"
      "              its time is {:.2f} times what the fewest bytes of any format would take",
      best.contender.name, bytes_text(best.traffic_bytes), best.byte_rate() * 1e-9,
      percent_text(best.share_of_read(limit)), limit.read * 1e-9, 1 / best.share_of_minimum(limit));
  if (best.state == State::cold || best.traffic_bytes > static_cast<double>(cache)) return line + '\n';
  return line + fmt::format("\n              (all of it fits into the cache of {}, so memory is not what limits it)\n",
                            bytes_text(static_cast<double>(cache)));
}

std::string peer_line(std::string_view title, const Point& own, const Point& peer) {
  const std::string line = fmt::format("{:14}{}, {}: ", title, peer.contender.name, seconds_text(peer.median()));
  if (no_difference(own, peer)) return line + "no difference\n";
  const double ratio = peer.median() / own.median();
  return line + (ratio > 1 ? fmt::format("{} is {:.2f} times as fast\n", own.contender.name, ratio)
                           : fmt::format("{:.2f} times as fast as {}\n", 1 / ratio, own.contender.name));
}

}  // namespace

bool no_difference(const Point& a, const Point& b) {
  const double difference = std::abs(a.median() - b.median());
  return difference <= a.samples.spread() * a.median() + b.samples.spread() * b.median();
}

std::string bench_table(std::vector<Point> points, const Bandwidth& limit, const Style& style) {
  const auto key = [](const Point& p) { return p.timed() ? p.median() : HUGE_VAL; };
  std::stable_sort(points.begin(), points.end(), [&](const Point& a, const Point& b) { return key(a) < key(b); });
  Table table(
      {{"contender", Table::Align::left}, {"time"}, {"spread"}, {"GFLOP/s"}, {"GB/s"}, {"of read"}, {"of min"}});
  bool unrepeatable = false;
  for (const Point& p : points) {
    const std::string name =
        (p.contender.own ? "" : "peer ") + p.contender.name + (p.contender.deterministic ? "" : " ~");
    unrepeatable |= !p.contender.deterministic;
    if (!p.timed()) {
      table.add({name, "WRONG", "-", "-", "-", "-", "-"});
      continue;
    }
    table.add({name, seconds_text(p.median()), percent_text(p.samples.spread()),
               fmt::format("{:.2f}", p.flop_rate() * 1e-9), fmt::format("{:.1f}", p.byte_rate() * 1e-9),
               percent_text(p.share_of_read(limit)), percent_text(p.share_of_minimum(limit))},
              points.front().median() / p.median(), &p == points.data() ? Table::Tone::bold : Table::Tone::plain);
  }
  std::string text = table.text(style);
  if (unrepeatable) text += dim("~ may give other bits in every run", style) + '\n';
  for (const Point& p : points)
    if (!p.timed())
      text += fmt::format("WRONG: {}: row {} of vector {} is {:.3g} times its error bound away; not timed\n",
                          p.contender.name, p.check.worst_row, p.check.worst_vector, p.check.max_error_over_bound);

  for (const Point& p : points)
    if (p.contender.own && !p.contender.note.empty())
      text += dim(fmt::format("{}: {}", p.contender.name, p.contender.note), style) + '\n';

  const auto best = [&](auto&& fits) {
    return std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.timed() && fits(p.contender); });
  };
  const auto own = best([](const ContenderFacts& c) { return c.own; });
  const auto peer = best([](const ContenderFacts& c) { return !c.own; });
  const auto repeatable = best([](const ContenderFacts& c) { return !c.own && c.deterministic; });
  const auto none = points.end();
  if (points.empty() || !points.front().timed()) return text;
  const Point& winner = points.front();
  std::string equals;
  for (const Point& p : points)
    if (&p != &winner && p.timed() && no_difference(winner, p))
      equals += (equals.empty() ? "" : ", ") + p.contender.name;
  text += fmt::format("winner:       {}, {}, {:.2f} GFLOP/s{}\n", bold(winner.contender.name, style),
                      seconds_text(winner.median()), winner.flop_rate() * 1e-9,
                      equals.empty() ? "" : "; no difference to " + equals);
  text += limit_line(winner, limit);
  if (own != none && peer != none) text += peer_line("best peer:", *own, *peer);
  if (own != none && repeatable != none && repeatable != peer) text += peer_line("repeatable:", *own, *repeatable);
  return text;
}

}  // namespace millrace::command
