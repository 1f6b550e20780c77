// Our formats as contenders, and the peers that this build and device have.
#include "contender.hpp"

#include <fmt/format.h>

#include <memory>

#include "features.hpp"

namespace millrace::command {

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

template <class T>
Makers<T> peers(const Problem<T>& problem) {
  Makers<T> makers;
  const auto add = [&](Makers<T>&& more) {
    for (auto& maker : more) makers.push_back(std::move(maker));
  };
  if (!problem.queue.device().on_host()) {
    if constexpr (features::cusparse) add(cusparse_peers(problem));
    if constexpr (features::cublas) add(cublas_peers(problem));
    return makers;
  }
  add(plain_peers(problem));
  add(plain_bsr_peers(problem));
  if constexpr (features::eigen) add(eigen_peers(problem));
  if constexpr (features::graphblas) add(graphblas_peers(problem));
  if constexpr (features::petsc) add(petsc_peers(problem));
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
template Makers<float> peers(const Problem<float>&);
template Makers<double> peers(const Problem<double>&);
template Makers<std::complex<float>> peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> peers(const Problem<std::complex<double>>&);

}  // namespace millrace::command
