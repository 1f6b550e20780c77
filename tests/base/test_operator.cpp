// An operator that was moved to another one says so, whatever it is.
#include "millrace/base/operator.hpp"

#include <gtest/gtest.h>

namespace millrace {
namespace {

class Twice final : public Operator<double> {
 public:
  explicit Twice(std::int64_t size) : data_(size, 2.0) {}
  Shape shape() const override { return {3, 3}; }
  Traffic traffic(int, bool) const override { return {}; }

 private:
  void do_apply(Queue&, const ApplyRequest<double>& request) const override {
    for (std::int64_t i = 0; i < 3; ++i) request.y.data[i] = data_.data()[i] * request.x.data[i];
  }
  Array<double> data_;
};

TEST(Operator, MovedFromIsAClearError) {
  Twice a(3);
  Queue queue;
  const std::vector<double> x{1, 2, 3};
  std::vector<double> y(3);
  Twice b(std::move(a));
  b.apply(queue, {.x = x, .y = y});
  EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
  const auto text_of = [&](const Twice& op) -> std::string {
    try {
      op.apply(queue, {.x = x, .y = y});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(text_of(a), "apply: this operator is empty, for it was moved to another one");
  a = std::move(b);
  EXPECT_EQ(text_of(a), "");
  EXPECT_NE(text_of(b), "");
}

TEST(Operator, MovedArraysAreEmpty) {
  Array<int> a{1, 2, 3};
  const Array<int> b = std::move(a);
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(b.size(), 3);
}

}  // namespace
}  // namespace millrace
