// From the struct of a format to its spec.
#include "millrace/sparse/stored_as.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/sparse/bsr.hpp"
#include "millrace/sparse/dbf.hpp"
#include "millrace/sparse/dia.hpp"
#include "millrace/sparse/hyb.hpp"
#include "millrace/sparse/padded.hpp"
#include "millrace/sparse/tcoo.hpp"

namespace millrace {

FormatSpec detail::make_spec(std::string_view name, std::initializer_list<std::int64_t> numbers,
                             std::initializer_list<std::string_view> words) {
  FormatSpec spec;
  spec.name = std::string(name);
  spec.written = spec.name;
  std::vector<std::int64_t> given(numbers);
  while (!given.empty() && given.back() == 0) given.pop_back();
  for (const std::int64_t number : given) {
    require(number >= 1, "format '", name, "': a size of ", number,
            " was asked for; 1 or more is accepted, or 0 where all sizes after it are 0 too: the format's own choice");
    spec.parameters.push_back(number);
    spec.written += join('-', number);
  }
  for (const std::string_view word : words) {
    if (word.empty()) continue;
    spec.words.emplace_back(word);
    spec.written += join('-', word);
  }
  return spec;
}

namespace as {
namespace {

std::string_view word_of(Storage storage) {
  switch (storage) {
    case Storage::automatic:
      return "";
    case Storage::full:
      return "full";
    case Storage::single:
      return "float";
    case Storage::dictionary:
      return "dict";
  }
  return "";
}

}  // namespace

Bsr::operator FormatSpec() const { return detail::make_spec("bsr", {block}, {}); }
Dbf::operator FormatSpec() const { return detail::make_spec("dbf", {block, group}, {apart ? "apart" : ""}); }
Dia::operator FormatSpec() const { return detail::make_spec("dia", {tile}, {}); }
Ell::operator FormatSpec() const { return detail::make_spec("ell", {}, {word_of(storage)}); }
Ellr::operator FormatSpec() const { return detail::make_spec("ellr", {}, {word_of(storage)}); }
Hyb::operator FormatSpec() const { return detail::make_spec("hyb", {width}, {word_of(storage)}); }
Sell::operator FormatSpec() const {
  return detail::make_spec("sell", {slice, sigma}, {word_of(storage), rcm ? "rcm" : ""});
}
Rgcsr::operator FormatSpec() const { return detail::make_spec("rgcsr", {group}, {word_of(storage)}); }
Jds::operator FormatSpec() const { return detail::make_spec("jds", {}, {word_of(storage)}); }
Pjds::operator FormatSpec() const { return detail::make_spec("pjds", {block}, {word_of(storage)}); }
Tcoo::operator FormatSpec() const { return detail::make_spec("tcoo", {tile_columns}, {}); }

}  // namespace as
}  // namespace millrace
