// A reference to an operator that remembers how the operator's type writes its diagonal: sums and constrained operators
// are made of these, and so have a diagonal where all their parts have one.
#pragma once

#include <concepts>

#include "millrace/base/operator.hpp"

namespace millrace {

/// A type with `void diagonal(Queue&, Vectors<T>) const`, which writes the diagonal of an operator.
template <class A, class T>
concept WritesDiagonal = requires(const A& a, Queue& queue, Vectors<T> y) { a.diagonal(queue, y); };

/// Somebody else's operator, which must live longer; temporaries are refused.
template <class T>
class OperatorRef {
 public:
  template <std::derived_from<Operator<T>> A>
  OperatorRef(const A& a) : operator_(&a) {
    if constexpr (WritesDiagonal<A, T>) {
      if constexpr (requires { a.has_diagonal(); })
        if (!a.has_diagonal()) return;
      write_ = [](const Operator<T>& of, Queue& queue, Vectors<T> y) { static_cast<const A&>(of).diagonal(queue, y); };
    }
  }
  template <std::derived_from<Operator<T>> A>
  OperatorRef(const A&& a) = delete;

  const Operator<T>& operator*() const { return *operator_; }
  const Operator<T>* operator->() const { return operator_; }
  bool has_diagonal() const { return write_ != nullptr; }
  /// y = the diagonal, where the operator can write it; an Unsupported otherwise.
  void diagonal(Queue& queue, Vectors<T> y) const {
    require<Unsupported>(has_diagonal(),
                         "diagonal: the type of an operator here has no function diagonal(queue, y); matrix-free "
                         "operators of finite elements, and sums of them, have one");
    write_(*operator_, queue, y);
  }

 private:
  const Operator<T>* operator_;
  void (*write_)(const Operator<T>& of, Queue& queue, Vectors<T> y) = nullptr;
};

}  // namespace millrace
