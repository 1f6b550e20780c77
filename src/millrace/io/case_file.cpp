// Answers of a table, and its errors.
#include "millrace/io/case_file.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/error.hpp"
#include "millrace/base/list_text.hpp"
#include "millrace/io/nearest_name.hpp"

namespace millrace {
namespace {

std::string kind_of(const CaseValue& value) {
  static constexpr const char* names[] = {"true or false", "a whole number", "a number",
                                          "a text",        "an array",       "a table"};
  return names[value.value.index()];
}

std::string as_number(const CaseValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) return std::to_string(*whole);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", std::get<double>(value.value));
  return text;
}

bool is_number(const CaseValue& value) {
  return std::holds_alternative<std::int64_t>(value.value) || std::holds_alternative<double>(value.value);
}

std::string quoted(std::string_view table, std::string_view key) {
  return table.empty() ? join("'", key, "'") : join("'", table, ".", key, "'");
}

[[noreturn]] void refuse(const CaseValue& found, std::string_view table, std::string_view key,
                         std::string_view wanted) {
  throw Error(join(found.place, ": ", quoted(table, key), " is ", kind_of(found), "; ", wanted, " is accepted"));
}

double finite(const CaseValue& found, std::string_view table, std::string_view key) {
  if (!is_number(found)) refuse(found, table, key, "a number");
  const auto* whole = std::get_if<std::int64_t>(&found.value);
  const double value = whole ? static_cast<double>(*whole) : std::get<double>(found.value);
  require(std::isfinite(value), found.place, ": ", quoted(table, key), " is ", value, "; a finite number is accepted");
  return value;
}

}  // namespace

std::string PlacedText::place_of(std::size_t character) const {
  if (!verbatim) return join(place, ": character ", character + 1, " of the text");
  const std::size_t colon = place.rfind(':');
  // A column is a character, and all but the first of its bytes are 10xxxxxx.
  const auto columns = std::ranges::count_if(text.substr(0, character), [](char c) { return (c & 0xc0) != 0x80; });
  return join(place.substr(0, colon + 1), std::stoll(place.substr(colon + 1)) + 1 + columns);
}

const CaseValue* CaseTable::find(std::string_view key) const {
  asked_.emplace(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : found->second.get();
}

const CaseValue& CaseTable::need(std::string_view key, std::string_view wanted) const {
  const CaseValue* const found = find(key);
  require(found != nullptr, place_, ": ", name_.empty() ? "the file" : join("[", name_, "]"), " needs '", key, "', ",
          wanted);
  return *found;
}

bool CaseTable::is_text(std::string_view key) const {
  const CaseValue* const found = find(key);
  return found && std::holds_alternative<std::string>(found->value);
}

void CaseTable::set(std::string key, CaseValue value) {
  values_[std::move(key)] = std::make_shared<const CaseValue>(std::move(value));
}

std::vector<std::string> CaseTable::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : values_) names.push_back(key);
  return names;
}

std::string CaseTable::place(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? place_ : found->second->place;
}

double CaseTable::number(std::string_view key, std::optional<double> otherwise) const {
  if (otherwise && !has(key)) return *otherwise;
  return finite(need(key, "a number"), name_, key);
}

double CaseTable::positive(std::string_view key, std::optional<double> otherwise) const {
  const double value = number(key, otherwise);
  require(value > 0, place(key), ": ", quoted(name_, key), " is ", value, "; a positive number is accepted");
  return value;
}

double CaseTable::at_least(std::string_view key, double least, std::optional<double> otherwise) const {
  const double value = number(key, otherwise);
  require(value >= least, place(key), ": ", quoted(name_, key), " is ", value, "; ", least, " or more is accepted");
  return value;
}

int CaseTable::integer(std::string_view key, int least, int most, std::optional<int> otherwise) const {
  if (otherwise && !has(key)) return *otherwise;
  const CaseValue& found = need(key, join("a whole number from ", least, " to ", most));
  const auto* const whole = std::get_if<std::int64_t>(&found.value);
  if (!whole) refuse(found, name_, key, join("a whole number from ", least, " to ", most));
  require(*whole >= least && *whole <= most, found.place, ": ", quoted(name_, key), " is ", *whole, "; ", least, " to ",
          most, " are accepted");
  return static_cast<int>(*whole);
}

bool CaseTable::flag(std::string_view key, bool otherwise) const {
  const CaseValue* const found = find(key);
  if (!found) return otherwise;
  if (const bool* const value = std::get_if<bool>(&found->value)) return *value;
  refuse(*found, name_, key, "true or false");
}

PlacedText CaseTable::text(std::string_view key, std::optional<std::string> otherwise) const {
  if (otherwise && !has(key)) return {*otherwise, place_};
  const CaseValue& found = need(key, "a text");
  const auto* const value = std::get_if<std::string>(&found.value);
  if (!value) refuse(found, name_, key, "a text");
  return {*value, found.place, found.verbatim};
}

int CaseTable::choice(std::string_view key, const std::vector<std::string>& words, std::optional<int> otherwise) const {
  if (otherwise && !has(key)) return *otherwise;
  const std::string list = list_text(words);
  need(key, join("one of: ", list));
  const PlacedText found = text(key);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (found.text == words[i]) return static_cast<int>(i);
  throw Error(join(found.place, ": ", quoted(name_, key), " is '", found.text, "'; accepted are: ", list));
}

std::vector<double> CaseTable::numbers(std::string_view key, int count,
                                       std::optional<std::vector<double>> otherwise) const {
  if (otherwise && !has(key)) return *otherwise;
  const std::string wanted = join("an array of ", count, " numbers");
  const CaseValue& found = need(key, wanted);
  const auto* const array = std::get_if<std::vector<CaseValue>>(&found.value);
  if (!array) refuse(found, name_, key, wanted);
  require(std::ssize(*array) == count, found.place, ": ", quoted(name_, key), " has ", array->size(), " entries; ",
          wanted, " is accepted");
  std::vector<double> values;
  for (const CaseValue& entry : *array) values.push_back(finite(entry, name_, key));
  return values;
}

std::vector<PlacedText> CaseTable::formulas(std::string_view key, int count) const {
  const std::string wanted =
      count == 1 ? std::string("a number or a formula in quotes") : join("an array of ", count, " numbers or formulas");
  const CaseValue& found = need(key, wanted);
  const auto* const array = std::get_if<std::vector<CaseValue>>(&found.value);
  if (!array && count > 1) refuse(found, name_, key, wanted);
  if (array)
    require(std::ssize(*array) == count, found.place, ": ", quoted(name_, key), " has ", array->size(), " entries; ",
            wanted, " is accepted");
  std::vector<PlacedText> values;
  for (int i = 0; i < count; ++i) {
    const CaseValue& entry = array ? (*array)[static_cast<std::size_t>(i)] : found;
    if (is_number(entry)) {
      finite(entry, name_, key);
      values.push_back({as_number(entry), entry.place});
    } else if (const auto* const value = std::get_if<std::string>(&entry.value)) {
      values.push_back({*value, entry.place, entry.verbatim});
    } else {
      refuse(entry, name_, key, wanted);
    }
  }
  return values;
}

std::vector<PlacedText> CaseTable::texts(std::string_view key) const {
  const CaseValue* const found = find(key);
  if (!found) return {};
  const auto* const array = std::get_if<std::vector<CaseValue>>(&found->value);
  if (!array) refuse(*found, name_, key, "an array of texts");
  std::vector<PlacedText> values;
  for (const CaseValue& entry : *array) {
    const auto* const value = std::get_if<std::string>(&entry.value);
    if (!value) refuse(entry, name_, key, "an array of texts");
    values.push_back({*value, entry.place, entry.verbatim});
  }
  return values;
}

const CaseTable& CaseTable::table(std::string_view key) const {
  static const CaseTable none;
  const CaseValue* const found = find(key);
  if (!found) return none;
  const auto* const value = std::get_if<CaseTable>(&found->value);
  if (!value) refuse(*found, name_, key, join("a table, [", name_.empty() ? "" : name_ + ".", key, "],"));
  return *value;
}

void CaseTable::refuse_others() const {
  for (const auto& [key, value] : values_) {
    if (asked_.contains(key)) continue;
    const std::string nearest = nearest_name(key, std::vector<std::string>(asked_.begin(), asked_.end()));
    throw Error(join(value->place, ": ", quoted(name_, key), " is no key here",
                     nearest.empty() ? "" : join(", and '", nearest, "' is the nearest"),
                     "; accepted are: ", list_text(asked_)));
  }
}

}  // namespace millrace
