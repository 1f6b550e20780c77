// What stands for headers of the C++ library where NVRTC compiles, which has none: as much as device code of ours and a
// physics given as text may need. Elsewhere this file is empty.
#pragma once

#ifdef __CUDACC_RTC__
namespace std {

using int8_t = signed char;
using uint8_t = unsigned char;
using int32_t = int;
using int64_t = long long;
using uint32_t = unsigned;
using uint64_t = unsigned long long;
using size_t = decltype(sizeof(0));
using ptrdiff_t = long long;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class A>
inline constexpr bool is_const_v = false;
template <class A>
inline constexpr bool is_const_v<const A> = true;
template <class A>
struct remove_const {
  using type = A;
};
template <class A>
struct remove_const<const A> {
  using type = A;
};
template <class A>
using remove_const_t = typename remove_const<A>::type;
template <bool, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool which, class A, class B>
using conditional_t = typename conditional<which, A, B>::type;

template <class R>
class complex;

using ::abs, ::fabs, ::sqrt, ::cbrt, ::hypot, ::exp, ::log, ::pow, ::sin, ::cos, ::tan, ::asin, ::acos, ::atan, ::atan2,
    ::sinh, ::cosh, ::tanh, ::floor, ::ceil, ::fma, ::fmin, ::fmax;

}  // namespace std
#endif
