// The orders for which kernels of a GPU are compiled: all that there are, or those that a user wants.
#pragma once

#include "millrace/base/dispatch.hpp"

namespace millrace {

template <int... orders>
struct ElementOrders {
  static_assert(((orders >= 1 && orders <= 8) && ...), "elements on a GPU are of order 1 to 8");
  /// Calls f<order>() if it is one of these; else an Unsupported names them.
  template <class F>
  static void dispatch(const char* what, int order, F&& f) {
    millrace::dispatch<orders...>(what, order, f);
  }
  /// An Unsupported if it is none of these.
  static void check(const char* what, int order) { dispatch(what, order, Ignore{}); }

 private:
  struct Ignore {
    template <int>
    void operator()() const {}
  };
};
using AllElementOrders = ElementOrders<1, 2, 3, 4, 5, 6, 7, 8>;

}  // namespace millrace
