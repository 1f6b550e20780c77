// Adds the shared options to a verb and checks their values.
#include "verbs/options.hpp"

#include <fmt/format.h>

#include "command.hpp"
#include "millrace/base/error.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/sparse/order.hpp"

namespace millrace::command {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

CLI::Validator checked_by(std::function<void(const std::string&)> parse) {
  return CLI::Validator(
      [parse = std::move(parse)](std::string& text) -> std::string {
        try {
          const std::vector<std::string> parts = split(text);
          require(!parts.empty(), "a value is missing");
          for (const std::string& part : parts) parse(part);
        } catch (const Error& error) {
          return error.what();
        }
        return {};
      },
      "");
}

CLI::Option* add_precision(CLI::App& app, std::string& precision, bool list) {
  const std::string help = fmt::format("{} (default: double, or complex-double)", precision_names());
  const auto check = checked_by([](const std::string& name) { check_precision(name); });
  return app.add_option("--precision", precision, help)->check(check)->type_name(list ? "NAME,..." : "NAME");
}

CLI::Option* add_order(CLI::App& app, std::string& order) {
  return app.add_option("--order", order, fmt::format("Reorder first: {}", ordering_names()))
      ->check(checked_by([](const std::string& name) { parse_ordering(name); }))
      ->type_name("NAME");
}

CLI::Option* add_device(CLI::App& app, std::string& device) {
  return app.add_option("--device", device, "cpu, gpu or gpu:NUMBER")->type_name("DEVICE")->capture_default_str();
}

void add_drawing(CLI::App& app, Drawing& drawing) {
  app.add_flag_callback(
      "--unicode", [&] { drawing = Drawing::unicode; }, "Draw with block characters");
  app.add_flag_callback(
      "--ascii", [&] { drawing = Drawing::ascii; }, "Draw with plain characters");
}

std::string word_list(std::string_view title, const Meanings& words) {
  std::string text = fmt::format("{}:", title);
  for (const auto& [word, meaning] : words) text += fmt::format("\n  {:<18}{}", word, meaning);
  return text + "\n\n";
}

void add_examples(CLI::App& app, const Meanings& examples, const std::string& lists) {
  std::string text = lists + "Examples:";
  for (const auto& [line, meaning] : examples) text += fmt::format("\n  {}\n      {}", line, meaning);
  app.footer(text);
}

}  // namespace millrace::command
