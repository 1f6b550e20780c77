// Fields are checked against the mesh and the rule before anything is computed.
#include "millrace/fem/fields.hpp"

#include <set>
#include <string>

#include "millrace/base/to_size.hpp"
#include "millrace/fem/element/sample.hpp"

namespace millrace::fem {

ByGroup::ByGroup(std::span<const GroupValue> values) : num_(static_cast<int>(values.size())) {
  require(num_ >= 1 && num_ <= max_groups, "coefficient by group: numbers for ", num_, " groups were given; 1 to ",
          max_groups, " are possible");
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      require(values[j].tag != values[i].tag, "coefficient by group: group ", values[i].tag, " has two numbers, ",
              values[j].number, " and ", values[i].number);
    values_[i] = values[i];
  }
}

void ByGroup::bind(const FieldPlaces& at, FieldOwners&) const {
  std::set<std::int32_t> missing;
  for (const std::int32_t tag : at.block.tag.span()) missing.insert(tag);
  std::string known, unknown;
  for (int i = 0; i < num_; ++i) {
    missing.erase(values_[i].tag);
    known += join(' ', values_[i].tag);
  }
  for (const std::int32_t tag : missing) unknown += join(' ', tag);
  require(missing.empty(), "coefficient by group: the mesh has cells of groups without a number:", unknown,
          "; there are numbers for:", known, " (0: cells of no group)");
}

void PointField::bind(const FieldPlaces& at, FieldOwners&) {
  const std::int64_t num_elem = at.block.num_cells();
  num_points_ = at.basis.num_points();
  at_points_ = values_.data();
  require(std::ssize(values_) == num_elem * comps_ * num_points_, "point field: ", num_elem, ' ', name(at.block.cell),
          " elements with ", num_points_, " points each and ", comps_, " components need ",
          num_elem * comps_ * num_points_, " numbers; there are ", values_.size(),
          " (on a mesh with several blocks each block has an operator and a field of its own)");
}

void NodalField::bind(const FieldPlaces& at, FieldOwners& owners) {
  require(space_ != nullptr, "nodal field: has no space; give it one with its values");
  const SpaceBlock& block = find_block("nodal field", *space_, at.block.cell, at.block.num_cells());
  require(std::ssize(values_) == space_->num_dofs(), "nodal field: the space has ", space_->num_dofs(),
          " unknowns; there are ", values_.size(), " values");
  num_points_ = at.basis.num_points();
  const auto made = std::make_shared<std::vector<double>>(to_size(Offset{at.block.num_cells()} * comps_ * num_points_));
  double* to = made->data();
  sample_fields<double>(default_num_threads(), at.basis, NodalLayout::of(*space_, block), values_.data(),
                        [&](Index first, int count, const double* value, const double*) {
                          const Offset numbers = Offset{comps_} * num_points_;
                          for (int l = 0; l < count; ++l)
                            for (Offset i = 0; i < numbers; ++i)
                              to[(first + l) * numbers + i] = value[i * num_lanes<double> + l];
                        });
  at_points_ = to;
  owners.push_back(made);
}

}  // namespace millrace::fem
