// The text of a request, `name[:value][,key=value...]`, and how it is read.
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

/// The part before the colon.
std::string_view spec_name(std::string_view spec);

/// A value for every parameter of the entry: the one in the text, checked, or the default.
Values parse_values(const Entry& entry, std::string_view spec, int num_threads, std::int64_t max_memory = 0);

}  // namespace millrace::gallery
