// Our formats as contenders.
#include "millrace/bench/contender.hpp"

#include <fmt/format.h>

#include <memory>

namespace millrace::bench {

namespace {

// Slices of a warp and of a vector register, unsorted and sorted in windows that keep x in the cache; full ones show
// what narrower columns and values are worth.
std::vector<std::string> parameter_choices(std::string_view format) {
  if (format == "sell") return {"-8-1-full", "-8-1", "-8-1024", "-32-1-full", "-32-1", "-32-1024"};
  return {""};
}

}  // namespace

template <class T>
std::vector<std::string> format_choices() {
  std::vector<std::string> choices;
  for_each_format<T>([&]<class Format>() {
    for (const std::string& parameters : parameter_choices(Format::name)) choices.push_back(Format::name + parameters);
  });
  return choices;
}

template <class T>
std::vector<std::string> format_choices(const std::vector<std::string>& asked) {
  std::vector<std::string> choices;
  for (const std::string& text : asked) {
    if (text != "all") {
      bool known = false;
      for_each_format<T>([&]<class Format>() { known |= parse_format_spec(text).name == Format::name; });
      require(known, "unknown sparse format '", text, "'; this build has: ", format_names(), ", or all of them: all");
      choices.push_back(text);
    } else {
      const auto all = format_choices<T>();
      choices.insert(choices.end(), all.begin(), all.end());
    }
  }
  return choices;
}

template <class T>
Makers<T> own_formats(const Problem<T>& problem, const std::vector<std::string>& formats) {
  Makers<T> makers;
  for (const std::string& format : formats)
    makers.push_back(
        {format, [problem, format] {
           SparseMatrix<T> built(problem.a, format);
           const bool moves = built.device() != problem.queue.device();
           auto matrix = std::make_shared<SparseMatrix<T>>(moves ? built.to(problem.queue.device()) : std::move(built));
           const Footprint footprint = matrix->footprint();
           Contender<T> contender;
           contender.facts = {.name = format,
                              .format = std::string(matrix->format_name()),
                              .note = matrix->details(),
                              .artificial_zeros = footprint.artificial_zeros,
                              .format_bytes = footprint.bytes,
                              .moved_bytes = footprint.moved_bytes,
                              .value_rounding = matrix->value_rounding()};
           contender.run = [problem, matrix] { matrix->apply(problem.queue, {.x = problem.x, .y = problem.y}); };
           return contender;
         }});
  return makers;
}

template std::vector<std::string> format_choices<float>();
template std::vector<std::string> format_choices<double>();
template std::vector<std::string> format_choices<std::complex<float>>();
template std::vector<std::string> format_choices<std::complex<double>>();
template std::vector<std::string> format_choices<float>(const std::vector<std::string>&);
template std::vector<std::string> format_choices<double>(const std::vector<std::string>&);
template std::vector<std::string> format_choices<std::complex<float>>(const std::vector<std::string>&);
template std::vector<std::string> format_choices<std::complex<double>>(const std::vector<std::string>&);
template Makers<float> own_formats(const Problem<float>&, const std::vector<std::string>&);
template Makers<double> own_formats(const Problem<double>&, const std::vector<std::string>&);
template Makers<std::complex<float>> own_formats(const Problem<std::complex<float>>&, const std::vector<std::string>&);
template Makers<std::complex<double>> own_formats(const Problem<std::complex<double>>&,
                                                  const std::vector<std::string>&);

}  // namespace millrace::bench
