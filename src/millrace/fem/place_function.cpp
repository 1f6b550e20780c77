// How many components a function of the place has, in words.
#include "millrace/fem/place_function.hpp"

namespace millrace {

std::string comps_text(int min_comps, int max_comps) {
  if (min_comps != max_comps) return join(min_comps, " or ", max_comps, " components");
  return join(max_comps, max_comps == 1 ? " component" : " components");
}

}  // namespace millrace
