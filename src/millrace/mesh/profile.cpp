// Curves around bodies.
#include <cmath>
#include <numbers>

#include "millrace/mesh/generate.hpp"

namespace millrace {

Profile make_circle(double radius, const Point& center) {
  require(radius > 0, "make_circle: the radius is ", radius, "; it must be positive");
  return {[=](double s) -> Point {
            const double angle = -2 * std::numbers::pi * s;
            return {center[0] + radius * std::cos(angle), center[1] + radius * std::sin(angle), 0};
          },
          false};
}

Profile make_naca(int digits) {
  const double camber = digits / 1000 * 0.01, place = digits / 100 % 10 * 0.1, thickness = digits % 100 * 0.01;
  require(digits > 0 && digits <= 9999 && thickness > 0 && (camber == 0 || place > 0),
          "make_naca: no aerofoil has the digits ", digits,
          "; four are needed, such as 0012 or 2412: camber, its place, thickness (two)");
  return {[=](double s) -> Point {
            const bool lower = s < 0.5;
            const double u = lower ? 2 * s : 2 - 2 * s;  // 0 at the trailing, 1 at the leading edge
            // The root of x: the curve is smooth in it at the leading edge, and it moves on at the trailing edge.
            const double root = (1 - u) * (1 + 0.6 * u), x = root * root;
            const double half =
                5 * thickness * (0.2969 * root + x * (-0.1260 + x * (-0.3516 + x * (0.2843 - x * 0.1036))));
            double y = 0, slope = 0;
            if (camber > 0) {
              const double span = x < place ? place : 1 - place;
              y = camber / (span * span) * (x < place ? 2 * place * x - x * x : 1 - 2 * place + 2 * place * x - x * x);
              slope = 2 * camber / (span * span) * (place - x);
            }
            const double length = std::hypot(1, slope), side = lower ? -half : half;
            return {x - side * slope / length, y + side / length, 0};
          },
          true};
}

}  // namespace millrace
