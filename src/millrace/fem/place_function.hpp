// Numbers that depend on the place, with the type of their function forgotten: what loads, boundary terms and given
// values are written with. A number, a Point, a lambda, one function per component, or a functor for host and device.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// A function of the place, and on a boundary of the outward unit normal, with one or several components.
class PlaceFunction {
 public:
  using Evaluate = std::function<void(const Point& x, const Point& normal, double* value)>;

  /// The same number everywhere.
  PlaceFunction(double number) : min_comps_(1), max_comps_(1) {
    at_ = [number](const Point&, const Point&, double* value) { value[0] = number; };
  }
  /// The same vector everywhere, of two or three components.
  PlaceFunction(const Point& vector) : min_comps_(2), max_comps_(3) {
    at_ = [vector](const Point&, const Point&, double* value) { std::copy(vector.begin(), vector.end(), value); };
  }
  /// One function per component; an empty one is zero.
  PlaceFunction(std::vector<std::function<double(const Point&)>> parts)
      : min_comps_(static_cast<int>(parts.size())), max_comps_(min_comps_) {
    at_ = [parts = std::move(parts)](const Point& x, const Point&, double* value) {
      for (std::size_t c = 0; c < parts.size(); ++c) value[c] = parts[c] ? parts[c](x) : 0.0;
    };
  }
  /// A function f(x) or f(x, normal) of Points that gives a double, a Point (two or three components) or a
  /// std::array<double, N>; or a functor that says `static constexpr int comps` and writes value[comps] in
  /// f(const double* x, double* value) or f(const double* x, const double* normal, double* value).
  template <class F>
    requires std::is_invocable_v<const F&, const Point&> || std::is_invocable_v<const F&, const Point&, const Point&> ||
             requires { F::comps; }
  PlaceFunction(const F& f) {
    if constexpr (requires { F::comps; }) {
      min_comps_ = max_comps_ = F::comps;
      uses_normal_ = std::is_invocable_v<const F&, const double*, const double*, double*>;
      at_ = [f](const Point& x, [[maybe_unused]] const Point& normal, double* value) {
        if constexpr (std::is_invocable_v<const F&, const double*, const double*, double*>)
          f(x.data(), normal.data(), value);
        else
          f(x.data(), value);
      };
    } else {
      constexpr bool with_normal = std::is_invocable_v<const F&, const Point&, const Point&>;
      uses_normal_ = with_normal;
      const auto call = [f](const Point& x, [[maybe_unused]] const Point& normal) {
        if constexpr (with_normal)
          return f(x, normal);
        else
          return f(x);
      };
      set_result<decltype(call(Point{}, Point{}))>();
      at_ = [call](const Point& x, const Point& normal, double* value) {
        const auto result = call(x, normal);
        if constexpr (std::is_convertible_v<decltype(result), double>)
          value[0] = result;
        else
          std::copy(result.begin(), result.end(), value);
      };
    }
  }

  bool uses_normal() const { return uses_normal_; }
  bool has_comps(int comps) const { return min_comps_ <= comps && comps <= max_comps_; }
  /// Components of spaces that it is for; a Point is for 2 or 3.
  int min_comps() const { return min_comps_; }
  int max_comps() const { return max_comps_; }
  /// value [max_comps] at a place; the normal is zero inside.
  void evaluate(const Point& x, const Point& normal, double* value) const { at_(x, normal, value); }

 private:
  template <class R>
  void set_result() {
    if constexpr (std::is_convertible_v<R, double>) {
      min_comps_ = max_comps_ = 1;
    } else {
      max_comps_ = static_cast<int>(std::tuple_size_v<R>);
      min_comps_ = std::is_same_v<R, Point> ? 2 : max_comps_;
    }
  }

  Evaluate at_;
  int min_comps_ = 1, max_comps_ = 1;
  bool uses_normal_ = false;
};

/// "1 component", "2 or 3 components", for errors.
std::string comps_text(int min_comps, int max_comps);

}  // namespace millrace
