// Writes the table of a benchmark and the lines below it.
#include "verbs/bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "terminal/table.hpp"

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
  const auto best = [&](auto&& fits) {
    const auto found =
        std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.timed() && fits(p.contender); });
    return found == points.end() ? nullptr : &*found;
  };
  const Point* const winner = best([](const ContenderFacts& c) { return !c.ceiling; });
  const Point* const own = best([](const ContenderFacts& c) { return c.own; });
  const Point* const peer = best([](const ContenderFacts& c) { return c.peer(); });
  const Point* const repeatable = best([](const ContenderFacts& c) { return c.peer() && c.deterministic; });
  const Point* const ceiling = best([](const ContenderFacts& c) { return c.ceiling; });

  std::vector<Table::Column> columns{
      {"contender", Table::Align::left}, {"time"}, {"spread"}, {"GFLOP/s"}, {"GB/s"}, {"of read"}, {"of min"}};
  if (ceiling) columns.push_back({"of gather"});
  Table table(columns);
  bool unrepeatable = false;
  for (const Point& p : points) {
    const std::string name = (p.contender.own ? "" : std::string(p.contender.kind()) + ' ') + p.contender.name +
                             (p.contender.deterministic ? "" : " ~");
    unrepeatable |= !p.contender.deterministic;
    if (!p.timed()) {
      std::vector<std::string> cells(columns.size(), "-");
      cells[0] = name;
      cells[1] = "WRONG";
      table.add(std::move(cells));
      continue;
    }
    std::vector<std::string> cells{name,
                                   seconds_text(p.median()),
                                   percent_text(p.samples.spread()),
                                   fmt::format("{:.2f}", p.flop_rate() * 1e-9),
                                   fmt::format("{:.1f}", p.byte_rate() * 1e-9),
                                   percent_text(p.share_of_read(limit)),
                                   percent_text(p.share_of_minimum(limit))};
    if (ceiling) cells.push_back(&p == ceiling ? "-" : percent_text(p.share_of_gather));
    const double bar = p.contender.ceiling || !winner ? -1 : winner->median() / p.median();
    table.add(std::move(cells), bar, &p == winner ? Table::Tone::bold : Table::Tone::plain);
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

  if (!winner) return text;
  std::string equals;
  for (const Point& p : points)
    if (&p != winner && p.timed() && !p.contender.ceiling && no_difference(*winner, p))
      equals += (equals.empty() ? "" : ", ") + p.contender.name;
  text += fmt::format("winner:       {}, {}, {:.2f} GFLOP/s{}\n", bold(winner->contender.name, style),
                      seconds_text(winner->median()), winner->flop_rate() * 1e-9,
                      equals.empty() ? "" : "; no difference to " + equals);
  text += limit_line(*winner, limit);
  if (ceiling)
    text += fmt::format("ceiling:      {}, {}: {}\n", ceiling->contender.name, seconds_text(ceiling->median()),
                        ceiling->contender.note);
  if (own && peer) text += peer_line("best peer:", *own, *peer);
  if (own && repeatable && repeatable != peer) text += peer_line("repeatable:", *own, *repeatable);
  return text;
}

}  // namespace millrace::command
