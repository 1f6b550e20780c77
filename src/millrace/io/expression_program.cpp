// Builds programs, with numbers folded and equal operations merged, and runs them for many places at once.
#include "millrace/io/expression_program.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::detail {
namespace {

constexpr int max_whole_power = 32;  // larger ones are left to pow, whose error does not grow with the exponent
constexpr int batch = 64;            // places at once: registers of a usual formula stay in the first cache

// The register of each operation. Numbers and what lives on keep theirs; one whose last reader has come is free again.
void place_registers(Program& program) {
  const auto size = program.list.size();
  std::vector<int> last_reader(size, -1), free;
  for (std::size_t i = 0; i < size; ++i)
    for (int a = 0; a < num_arguments(program.list[i].op); ++a)
      last_reader[to_size(program.list[i].of[to_size(a)])] = static_cast<int>(i);
  program.place.assign(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    const Operation& now = program.list[i];
    for (int a = 0; a < num_arguments(now.op); ++a) {
      int& reader = last_reader[to_size(now.of[to_size(a)])];
      if (reader != static_cast<int>(i) || program.list[to_size(now.of[to_size(a)])].op == FormulaOp::number) continue;
      free.push_back(program.place[to_size(now.of[to_size(a)])]);
      reader = -1;  // an argument may stand there twice
    }
    if (free.empty() || now.op == FormulaOp::number) {
      program.place[i] = program.num_registers++;
    } else {
      program.place[i] = free.back();
      free.pop_back();
    }
  }
}

// registers: [num_registers, width]; numbers are there already.
void run(const Program& program, const Point* places, std::size_t count, double t, double* registers,
         std::size_t width) {
  const auto place = [&](int operation) { return registers + to_size(program.place[to_size(operation)]) * width; };
  for (std::size_t i = 0; i < program.list.size(); ++i) {
    const Operation& now = program.list[i];
    double* const to = place(static_cast<int>(i));
    if (now.op == FormulaOp::number) continue;
    if (now.op == FormulaOp::variable) {
      for (std::size_t p = 0; p < count; ++p) to[p] = now.which < 3 ? places[p][to_size(now.which)] : t;
      continue;
    }
    const double *a = place(now.of[0]), *b = place(now.of[1]), *c = place(now.of[2]);
    with_function(now.op, [&]<class F>(const F& f) {
      for (std::size_t p = 0; p < count; ++p) {
        if constexpr (std::is_invocable_v<F, double>)
          to[p] = f(a[p]);
        else if constexpr (std::is_invocable_v<F, double, double>)
          to[p] = f(a[p], b[p]);
        else
          to[p] = f(a[p], b[p], c[p]);
      }
    });
  }
}

}  // namespace

double value_of(FormulaOp op, double a, double b, double c) {
  return with_function(op, [&]<class F>(const F& f) {
    if constexpr (std::is_invocable_v<F, double>)
      return f(a);
    else if constexpr (std::is_invocable_v<F, double, double>)
      return f(a, b);
    else
      return f(a, b, c);
  });
}

bool Program::has_variable(int which) const {
  return std::ranges::any_of(list, [&](const Operation& o) { return o.op == FormulaOp::variable && o.which == which; });
}

bool Program::is_constant() const {
  return std::ranges::none_of(list, [](const Operation& o) { return o.op == FormulaOp::variable; });
}

int ProgramBuilder::keep(const Operation& operation) {
  const Key key{operation.op, operation.which, std::bit_cast<std::uint64_t>(operation.number), operation.of};
  const auto [at, is_new] = known_.try_emplace(key, static_cast<int>(list_.size()));
  if (!is_new) return at->second;
  require(std::ssize(list_) < max_operations, "a formula, with the names in it, has at most ", max_operations,
          " operations");
  list_.push_back(operation);
  return at->second;
}

int ProgramBuilder::number(double value) { return keep({.number = value}); }
int ProgramBuilder::variable(int which) { return keep({.op = FormulaOp::variable, .which = which}); }

// By squares and products, the same on every machine.
int ProgramBuilder::whole_power(int base, int exponent) {
  if (exponent == 1) return base;
  const int half = whole_power(base, exponent / 2), square = add(FormulaOp::multiply, {half, half});
  return exponent % 2 == 0 ? square : add(FormulaOp::multiply, {square, base});
}

int ProgramBuilder::power(int base, int exponent) {
  const Operation& given = list_[to_size(exponent)];
  const double value = given.number;
  if (given.op != FormulaOp::number || value != std::floor(value) || std::abs(value) > max_whole_power)
    return keep({.op = FormulaOp::power, .of = {base, exponent}});
  const int whole = static_cast<int>(value);
  if (whole == 0) return number(1);
  return whole > 0 ? whole_power(base, whole) : add(FormulaOp::divide, {number(1), whole_power(base, -whole)});
}

int ProgramBuilder::add(FormulaOp op, std::array<int, 3> of) {
  std::array<double, 3> numbers{};
  bool fold = true;
  for (int a = 0; a < num_arguments(op); ++a) {
    const Operation& argument = list_[to_size(of[to_size(a)])];
    fold = fold && argument.op == FormulaOp::number;
    numbers[to_size(a)] = argument.number;
  }
  if (op == FormulaOp::power) {
    const int found = power(of[0], of[1]);
    if (!fold || list_[to_size(found)].op != FormulaOp::power) return found;
  }
  if (fold) {
    const double value = value_of(op, numbers[0], numbers[1], numbers[2]);
    if (std::isfinite(value)) return number(value);
  }
  return keep({.op = op, .of = of});
}

int ProgramBuilder::add(const Program& other) {
  std::vector<int> now;
  for (const Operation& from : other.list) {
    Operation operation = from;
    for (int a = 0; a < num_arguments(from.op); ++a) operation.of[to_size(a)] = now[to_size(from.of[to_size(a)])];
    now.push_back(num_arguments(from.op) == 0 ? keep(operation) : add(from.op, operation.of));
  }
  return now.back();
}

Program ProgramBuilder::finish(int last) const {
  std::vector<char> needed(to_size(last + 1), 0);
  needed.back() = 1;
  for (int i = last; i >= 0; --i)
    for (int a = 0; needed[to_size(i)] && a < num_arguments(list_[to_size(i)].op); ++a)
      needed[to_size(list_[to_size(i)].of[to_size(a)])] = 1;
  Program program;
  std::vector<int> now(needed.size(), 0);
  for (int i = 0; i <= last; ++i) {
    if (!needed[to_size(i)]) continue;
    now[to_size(i)] = static_cast<int>(program.list.size());
    program.list.push_back(list_[to_size(i)]);
    for (int a = 0; a < num_arguments(list_[to_size(i)].op); ++a) {
      int& argument = program.list.back().of[to_size(a)];
      argument = now[to_size(argument)];
    }
  }
  place_registers(program);
  return program;
}

void evaluate(const Program& program, std::span<const Point> places, double t, std::span<double> out) {
  const std::size_t width = std::min<std::size_t>(places.size(), batch);
  const auto needed = to_size(program.num_registers) * width;
  std::array<double, 64> few;
  std::vector<double> many;
  if (needed > few.size()) many.resize(needed);
  double* const registers = many.empty() ? few.data() : many.data();
  const auto place = [&](std::size_t i) { return registers + to_size(program.place[i]) * width; };
  for (std::size_t i = 0; i < program.list.size(); ++i)
    if (program.list[i].op == FormulaOp::number) std::fill_n(place(i), width, program.list[i].number);
  for (std::size_t begin = 0; begin < places.size(); begin += width) {
    const std::size_t count = std::min(width, places.size() - begin);
    run(program, places.data() + begin, count, t, registers, width);
    std::copy_n(place(program.list.size() - 1), count, out.data() + begin);
  }
}

}  // namespace millrace::detail
