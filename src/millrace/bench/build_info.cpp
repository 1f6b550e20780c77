// The text of --version, from what the build wrote into source_id.hpp.
#include "millrace/bench/build_info.hpp"

#include <fmt/format.h>

#include "millrace/base/build.hpp"
#include "millrace/bench/features.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/io/png.hpp"
#include "millrace/precond/direct.hpp"
#include "millrace/sparse/formats.hpp"
#include "millrace/sparse/order.hpp"
#include "source_id.hpp"  // written by source_id.cmake at every build

namespace millrace::bench {

namespace {

// The direct solvers of this build, each with the licence that it puts on what is linked with it.
std::string direct_text() {
  std::string text;
  for (const DirectPackage& package : direct_packages())
    if (package.built())
      text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", package.name, package.version, package.licence);
  return text.empty() ? "none" : text;
}

}  // namespace

BuildInfo build_info() {
  return {source_id::commit, source_id::dirty, source_id::source_hash,
          source_id::type,   source_id::flags, source_id::compiler};
}

std::string version_text() {
  const auto yes = [](bool feature) { return feature ? "yes" : "no"; };
  const BuildInfo info = build_info();
  const std::string commit = info.commit.empty() ? "no commit" : info.commit.substr(0, 12) + (info.dirty ? "+" : "");
  return fmt::format(
      "millrace {} ({}, source {}, {})\n"
      "compiler    {}\n"
      "CUDA        {}\n"
      "MPI         {}\n"
      "OpenMP      {}\n"
      "peers       plain csr{}{}\n"
      "PNG         {}\n"
      "formats     {}\n"
      "orderings   {}\n"
      "precisions  {}\n"
      "direct      {}",
      build::version, commit, info.source_hash.substr(0, 12), info.type, info.compiler, yes(build::cuda),
      yes(build::mpi), yes(features::openmp), features::eigen ? ", eigen" : "", features::cusparse ? ", cusparse" : "",
      yes(has_png()), format_names(), ordering_names(), precision_names(), direct_text());
}

}  // namespace millrace::bench
