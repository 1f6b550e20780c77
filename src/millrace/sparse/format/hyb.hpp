// The hybrid format (Bell and Garland 2009): the first K1 entries of every row in ELLPACK, cut into slices, and what
// is left of longer rows as coordinates. Its products are those of its two parts, one after the other.
#pragma once

#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/format/padded.hpp"

namespace millrace {

/// What a text asks for.
struct HybShape {
  Index width = 0;  // K1; 0: to be found
  Storage storage = Storage::automatic;
};

template <class T>
struct Hyb {
  using value_type = T;
  static constexpr const char* name = "hyb";
  static constexpr const char* parameters = "-K1";
  static constexpr bool is_row_format = false;
  static constexpr bool converts_on_gpu = true;
  static constexpr bool is_composite = true;

  Index num_rows = 0, num_cols = 0;
  Index width = 0;       // K1
  Ellr<T> ell;           // up to K1 entries of every row
  Coo<T> coo;            // the others, sorted by row
  Array<Offset> source;  // [entries of coo], where each stands in the CSR matrix

  static Hyb from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted = {});
  static Hyb from_csr(const Csr<T>& a, const FormatSpec& spec) { return from_csr_and_wait<Hyb>(a, spec); }
  static HybShape asked(const FormatSpec& spec);
  static bool only_host_makes(const FormatSpec& spec) { return asked(spec).storage == Storage::dictionary; }
  Hyb to(Device device) const { return copy_to(*this, device); }

  template <class F>
  static void for_each_member(F&& f) {
    f(&Hyb::num_rows), f(&Hyb::num_cols), f(&Hyb::width), f(&Hyb::ell), f(&Hyb::coo), f(&Hyb::source);
  }

  Shape shape() const { return {num_rows, num_cols}; }
  Device device() const { return coo.device(); }
  Offset num_entries() const { return ell.num_entries() + coo.num_entries(); }
  Footprint footprint() const;
  std::string details() const;

  template <class F>
  void for_each_part(F&& f) const {
    f(ell);
    f(coo);
  }
};

}  // namespace millrace
