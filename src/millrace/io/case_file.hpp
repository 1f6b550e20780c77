// Case files in TOML: what is to be computed, as tables of named values. Every value knows its file, line and column;
// a key that nobody asks for is refused with those that were.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace millrace {

/// A text with the place where it stands: "naca.toml:12:9".
struct PlacedText {
  std::string text, place;
  bool verbatim = false;  // the file has these very characters, behind the quote at `place`

  /// The place of a character of the text: its own in the file where that is known, "naca.toml:12:14".
  std::string place_of(std::size_t character) const;
};

struct CaseValue;

/// A table of a case file. Questions name a key; an Error says place, what was found and what is accepted. With
/// `otherwise` a key may be missing.
class CaseTable {
 public:
  CaseTable() = default;
  CaseTable(std::string name, std::string place) : name_(std::move(name)), place_(std::move(place)) {}

  const std::string& name() const { return name_; }  // "boundary.wall"; empty: the file itself
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool is_text(std::string_view key) const;
  std::vector<std::string> keys() const;

  double number(std::string_view key, std::optional<double> otherwise = {}) const;
  double positive(std::string_view key, std::optional<double> otherwise = {}) const;
  double at_least(std::string_view key, double least, std::optional<double> otherwise = {}) const;
  int integer(std::string_view key, int least, int most, std::optional<int> otherwise = {}) const;
  bool flag(std::string_view key, bool otherwise) const;
  PlacedText text(std::string_view key, std::optional<std::string> otherwise = {}) const;
  /// One of some words; its number in the list.
  int choice(std::string_view key, const std::vector<std::string>& words, std::optional<int> otherwise = {}) const;
  std::vector<double> numbers(std::string_view key, int count, std::optional<std::vector<double>> otherwise = {}) const;
  /// Texts, or numbers as texts, for formulas; one value or an array of `count`.
  std::vector<PlacedText> formulas(std::string_view key, int count) const;
  std::vector<PlacedText> texts(std::string_view key) const;
  /// Empty where there is none.
  const CaseTable& table(std::string_view key) const;

  /// "naca.toml:12:9", of the value of a key, or of the table where it is missing.
  std::string place(std::string_view key = {}) const;
  /// Refuses keys that no question has named.
  void refuse_others() const;
  void set(std::string key, CaseValue value);

 private:
  const CaseValue* find(std::string_view key) const;
  const CaseValue& need(std::string_view key, std::string_view wanted) const;

  std::string name_, place_;
  std::map<std::string, std::shared_ptr<const CaseValue>, std::less<>> values_;
  mutable std::set<std::string, std::less<>> asked_;
};

struct CaseValue {
  std::string place;
  std::variant<bool, std::int64_t, double, std::string, std::vector<CaseValue>, CaseTable> value;
  bool verbatim = false;  // a text on one line, with one quote at each end and nothing written otherwise than it is
};

/// Is toml++ part of this build? Without it the following are Unsupported.
bool reads_cases();
/// An Error names file, line and column of what is no TOML.
CaseTable read_case_file(const std::string& path);
CaseTable parse_case(std::string_view text, const std::string& name);

}  // namespace millrace
