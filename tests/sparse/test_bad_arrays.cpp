// Arrays that would read or write elsewhere are refused, in every format and by every door; another pattern is no new
// values; what was moved from says so.
#include <gtest/gtest.h>

#include <functional>

#include "millrace/millrace.hpp"
#include "sparse/product/product_checks.hpp"

namespace millrace::testing {
namespace {

// Three rows, four columns, five entries.
struct Arrays {
  std::vector<std::int32_t> row_ptr{0, 2, 3, 5};
  std::vector<Index> cols{0, 3, 1, 0, 2};
  std::vector<double> vals{1, 2, 3, 4, 5};

  Csr<double> csr(Device device = Device::host()) const {
    Csr<double> a;
    a.num_rows = 3;
    a.num_cols = 4;
    a.row_ptr = Array<std::int32_t>(std::span<const std::int32_t>(row_ptr)).to(device);
    a.cols = Array<Index>(std::span<const Index>(cols)).to(device);
    a.vals = Array<double>(std::span<const double>(vals)).to(device);
    return a;
  }
};

struct Fault {
  const char* name;
  std::function<void(Arrays&)> damage;
  const char* text;
};
const std::vector<Fault>& faults() {
  static const std::vector<Fault> list{
      {"column -1", [](Arrays& a) { a.cols[2] = -1; }, "csr: row 1 has column -1; columns run from 0 to 3"},
      {"column 4", [](Arrays& a) { a.cols[4] = 4; }, "csr: row 2 has column 4; columns run from 0 to 3"},
      {"huge column", [](Arrays& a) { a.cols[0] = 2147483647; }, "csr: row 0 has column 2147483647"},
      {"falling offsets",
       [](Arrays& a) {
         a.row_ptr = {0, 4, 3, 5};
       },
       "csr: the row offsets fall from 4 to 3 at row 1"},
      {"large offsets",
       [](Arrays& a) {
         a.row_ptr = {0, 2000000000, 2000000000, 5};
       },
       "csr: the row offsets fall from 2000000000 to 5 at row 2"},
      {"negative offset",
       [](Arrays& a) {
         a.row_ptr = {0, -7, 3, 5};
       },
       "csr: the row offsets fall from 0 to -7 at row 0"},
      {"first offset", [](Arrays& a) { a.row_ptr[0] = 1; }, "csr: row offsets run from 1 to 5"},
      {"last offset", [](Arrays& a) { a.row_ptr[3] = 6; }, "csr: row offsets run from 0 to 6"},
      {"too few offsets", [](Arrays& a) { a.row_ptr.pop_back(); }, "csr: 3 rows need 4 row offsets; there are 3"},
      {"too few columns", [](Arrays& a) { a.cols.pop_back(); }, "csr: there are 4 columns but 5 values"},
      {"no offsets", [](Arrays& a) { a.row_ptr.clear(); }, "csr: 3 rows need 4 row offsets; there are 0"}};
  return list;
}

void expect_text(const std::string& text, std::string_view wanted, std::string_view where) {
  EXPECT_NE(text.find(wanted), std::string::npos) << where << ": '" << text << "', wanted '" << wanted << "'";
}

void check_faults_are_refused(Device device) {
  for (const Fault& fault : faults()) {
    Arrays arrays;
    fault.damage(arrays);
    const Csr<double> a = arrays.csr(device);
    for_each_format<double>([&]<class Format>() {
      if (!can_live_on(Format::name, device)) return;
      const std::string where = join(fault.name, ", ", Format::name);
      expect_text(error_of([&] { SparseMatrix<double>(a, Format::name); }), fault.text, where);
      expect_text(error_of([&] { make_format(a, Format::name); }), fault.text, where);
      expect_text(error_of([&] { Format::from_csr(a, {.name = Format::name}); }), fault.text, where);
    });
    expect_text(error_of([&] { SparseMatrix<double>(a.clone()); }), fault.text, fault.name);
    expect_text(error_of([&] { check_csr(a); }), fault.text, fault.name);
  }
}

TEST(BadArrays, EveryFaultInEveryFormat) { check_faults_are_refused(Device::host()); }
TEST(GpuBadArrays, EveryFaultInEveryFormat) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  check_faults_are_refused(Device::gpu());
}

TEST(BadArrays, EverythingElseThatTakesAMatrix) {
  for (const Fault& fault : faults()) {
    Arrays arrays;
    fault.damage(arrays);
    const Csr<double> a = arrays.csr();
    expect_text(error_of([&] { sort_rows(a); }), fault.text, fault.name);
    expect_text(error_of([&] { transpose(a); }), fault.text, fault.name);
    expect_text(error_of([&] { permute_rows(a, std::vector<Index>{2, 1, 0}); }), fault.text, fault.name);
    expect_text(error_of([&] { compute_stats(a); }), fault.text, fault.name);
    expect_text(error_of([&] { make_ordering(a, Ordering::descending); }), fault.text, fault.name);
    Queue queue;
    expect_text(error_of([&] { make_matrix(queue, a); }), fault.text, fault.name);
  }
}

TEST(BadArrays, WrapChecksThemToo) {
  for (const Fault& fault : faults()) {
    Arrays a;
    fault.damage(a);
    expect_text(error_of([&] { wrap_csr(3, 4, a.row_ptr, a.cols, a.vals); }), fault.text, fault.name);
  }
  const auto null = []<class U>(U*, std::int64_t size) { return DeviceSpan<const U>(Device::host(), nullptr, size); };
  const Arrays a;
  const DeviceSpan<const std::int32_t> offsets(Device::host(), a.row_ptr.data(), 4);
  const DeviceSpan<const Index> cols(Device::host(), a.cols.data(), 5);
  const DeviceSpan<const double> vals(Device::host(), a.vals.data(), 5);
  const auto wrap = [](auto p, auto c, auto v) { return error_of([&] { Csr<double>::wrap(3, 4, p, c, v); }); };
  expect_text(wrap(null(static_cast<std::int32_t*>(nullptr), 4), cols, vals), "offsets are a null pointer", "wrap");
  expect_text(wrap(offsets, null(static_cast<Index*>(nullptr), 5), vals), "columns of 5 entries are a null", "wrap");
  expect_text(wrap(offsets, cols, null(static_cast<double*>(nullptr), 5)), "values of 5 entries are a null", "wrap");
}

TEST(BadArrays, TrustTakesThemAsTheyAre) {
  Arrays a;
  a.row_ptr = {0, 2, 3, 4};  // one entry that no row has: harmless
  EXPECT_EQ(wrap_csr(3, 4, a.row_ptr, a.cols, a.vals, trust).num_entries(), 5);
  EXPECT_EQ(SparseMatrix<double>(a.csr(), "csr", trust).num_entries(), 5);
  EXPECT_EQ(SparseMatrix<double>(a.csr(), as::Sell{}, trust).shape(), (Shape{3, 4}));
  EXPECT_EQ(SparseMatrix<double>(a.csr(), trust).num_entries(), 5);
}

TEST(BadArrays, OffsetsOf8BytesThatWouldWrap) {
  const Csr<double> a(1, 4, Array<std::int64_t>({0, (std::int64_t{1} << 32) + 2}), Array<Index>({0, 1}),
                      Array<double>({1, 2}));
  EXPECT_NE(error_of([&] { check_csr(a); }).find("row offsets run from 0 to 2147483647"), std::string::npos);
}

TEST(BadArrays, Coordinates) {
  const auto coo = [](Index row, Index col) {
    return Coo<double>{3, 3, Array<Index>({0, row}), Array<Index>({0, col}), Array<double>({1, 2})};
  };
  for (const auto& [row, col] : {std::pair{3, 0}, {2, -1}, {2, 3}, {-1, 0}, {2147483647, 0}}) {
    const std::string wanted = join("coo: entry 1 is at (", row, ", ", col, "); the matrix is 3 x 3");
    expect_text(error_of([&] { SparseMatrix<double>(coo(row, col)); }), wanted, "matrix");
    expect_text(error_of([&] { to_csr(coo(row, col)); }), wanted, "to_csr");
  }
  Coo<double> short_one = coo(1, 1);
  short_one.cols = Array<Index>({0});
  expect_text(error_of([&] { SparseMatrix<double>(std::move(short_one)); }), "2 rows, 1 columns and 2 values", "sizes");
}

// Every way to have as many entries elsewhere.
template <class T>
void check_other_patterns(Device device) {
  const Csr<T> a = sort_rows(banded_csr<T>(96, 96, 6, 52));
  Csr<T> column = a.clone(), lengths = a.clone(), twice = a.clone();
  const Offset middle = a.row_begin(48);
  ASSERT_GE(a.row_length(48), 3);
  column.cols.span()[middle] = (column.cols.span()[middle] + 40) % 96;  // one entry elsewhere
  std::get<Array<std::int32_t>>(lengths.row_ptr).span()[48] += 1;       // one entry in the row before
  twice.cols.span()[middle + 1] = twice.cols.span()[middle];            // one position twice, another not at all
  Queue queue(device);
  for (const std::string& spec : format_specs()) {
    if (!can_live_on(spec, device)) continue;
    const std::optional<SparseMatrix<T>> made = in_format(a, spec);
    if (!made) continue;
    SparseMatrix<T> m = made->to(device);
    for (const Csr<T>* other : {&column, &lengths, &twice})
      expect_text(error_of([&] { m.update_values(queue, other->to(device)); }), "update_values: ", spec);
    Csr<T> bad = a.clone();
    bad.cols.span()[middle] = -1;
    expect_text(error_of([&] { m.update_values(queue, bad.to(device)); }), "csr: row 48 has column -1", spec);
    EXPECT_NO_THROW(m.update_values(queue, a.to(device))) << spec;
    EXPECT_NO_THROW(m.update_values(queue, a.to(device), trust)) << spec;
    queue.wait();
    expect_same(a, m.to_csr(), spec);
  }
}

TEST(BadArrays, UpdateValuesRefusesOtherPatterns) {
  check_other_patterns<double>(Device::host());
  check_other_patterns<std::complex<float>>(Device::host());
}
TEST(GpuBadArrays, UpdateValuesRefusesOtherPatterns) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  check_other_patterns<double>(Device::gpu());
}

TEST(BadArrays, WhatWasMovedFromSaysSo) {
  const Csr<double> a = random_csr<double>(20, 20, 3, 1);
  Queue queue;
  const std::vector<double> x(20, 1);
  std::vector<double> y(20);
  for_each_format<double>([&]<class Format>() {
    std::optional<SparseMatrix<double>> m = in_format(a, Format::name);
    if (!m) return;
    const SparseMatrix<double> taken(std::move(*m));
    expect_text(error_of([&] { m->apply(queue, {.x = x, .y = y}); }), "this operator is empty", Format::name);
    expect_text(error_of([&] { m->update_values(queue, a); }), "this operator is empty", Format::name);
    expect_text(error_of([&] { m->to_csr(); }), "this operator is empty", Format::name);
    expect_text(error_of([&] { m->prepare_transpose(); }), "this operator is empty", Format::name);
    EXPECT_FALSE(m->transpose_prepared());
  });
  Csr<double> source = a.clone();
  const Csr<double> taken = std::move(source);
  EXPECT_NE(error_of([&] { SparseMatrix<double>(source, "csr"); }), "");
  EXPECT_EQ(source.vals.size(), 0);
}

}  // namespace
}  // namespace millrace::testing
