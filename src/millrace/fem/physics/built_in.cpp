// Compiles the built-in physics with constant coefficients for the host.
#include "millrace/fem/physics/built_in.hpp"

namespace millrace {

template <class T, class P>
PointKernel<T> make_built_in_kernel(const P& physics) {
  return compile_point_kernel<T>(physics);
}

namespace {

/// A pointer to each function of the list, which has it compiled.
template <class T, class List>
struct Instances;
template <class T, class... Ps>
struct Instances<T, std::tuple<Ps...>> {
  std::tuple<PointKernel<T> (*)(const Ps&)...> functions{make_built_in_kernel<T, Ps>...};
};
[[gnu::used]] const Instances<float, BuiltInPhysics> floats;
[[gnu::used]] const Instances<double, BuiltInPhysics> doubles;

}  // namespace
}  // namespace millrace
