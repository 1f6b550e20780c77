// A bake-off problem given to libCEED: restriction, basis and factors are ours, number by number; what makes a kernel
// of them is its back end.
#include <ceed.h>
#include <ceed/backend.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "bp_libceed_physics.h"
#include "bp_peer.hpp"
#include "millrace/base/environment.hpp"
#include "millrace/fem/actions/basis_actions_cuda.hpp"

namespace millrace::bp_peers {
namespace {

static_assert(std::is_same_v<CeedScalar, double> && std::is_same_v<CeedInt, Index>);

/// A handle of libCEED with its owner.
template <class Handle, int (*destroy)(Handle*)>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_) destroy(&handle_);
  }
  operator Handle() const { return handle_; }
  Handle* put() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

/// What the operator of libCEED consists of.
struct Parts {
  Owned<Ceed, CeedDestroy> ceed, refusing;
  Array<double> factors;  // [num_stored, num_elem, points], on the device
  Owned<CeedVector, CeedVectorDestroy> stored, x, y;
  Owned<CeedElemRestriction, CeedElemRestrictionDestroy> nodes, points;
  Owned<CeedBasis, CeedBasisDestroy> basis;
  Owned<CeedQFunction, CeedQFunctionDestroy> physics;
  Owned<CeedOperator, CeedOperatorDestroy> op;
  CeedMemType memory = CEED_MEM_HOST;
  Array<Index> constrained;  // on the device
  Traffic traffic;

  /// Its own text as an exception; none is thrown through its functions, which are C.
  void check(int code) const {
    if (code == CEED_ERROR_SUCCESS) return;
    const char* text = "no text";
    if (ceed) CeedGetErrorMessage(ceed, &text);
    throw Error(join("libCEED: ", text));
  }
};

/// In place of an operator of the slower back end that libCEED takes silently when a generated kernel fails.
int refuse_fallback(CeedOperator op) {
  return CeedError(CeedOperatorReturnCeed(op), CEED_ERROR_BACKEND,
                   "the generated kernel could not be compiled or run; CEED_DEBUG=1 in the environment tells more");
}

void start(Parts& parts, const std::string& resource, Device device) {
  ::setenv("CEED_ERROR_HANDLER", "store", 0);  // of every back end that this one leans on
  const std::string numbered = device.on_host() ? resource : join(resource, ":device_id=", device.number());
  parts.check(CeedInit(numbered.c_str(), parts.ceed.put()));
  parts.check(CeedGetPreferredMemType(parts.ceed, &parts.memory));
  require((parts.memory == CEED_MEM_HOST) == device.on_host(), "libCEED back end '", resource, "' keeps vectors on ",
          parts.memory == CEED_MEM_HOST ? "the host" : "a GPU", "; ", to_string(device), " was asked for");
  if (device.on_host()) return;
  parts.check(CeedInit("/cpu/self/ref/serial", parts.refusing.put()));
  parts.check(CeedSetBackendFunction(parts.ceed, "Ceed", *parts.refusing.put(), "OperatorCreate", refuse_fallback));
  parts.check(CeedSetOperatorFallbackCeed(parts.ceed, parts.refusing));
}

/// The order that libCEED's GPU back ends choose themselves: [num_stored, num_elem, points].
Array<double> factors_by_number(const ElementData<double>& data) {
  const std::int64_t points = data.basis.num_points(), stride = data.num_elem * points;
  Array<double> ordered(data.num_stored * stride);
  parallel_for(default_num_threads(), data.num_elem, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      const double* from = data.factors.data() + data.first_factor(static_cast<Index>(e));
      for (std::int64_t q = 0; q < points; ++q)
        for (int s = 0; s < data.num_stored; ++s, from += num_lanes<double>)
          ordered.data()[s * stride + e * points + q] = *from;
    }
  });
  return ordered;
}

void make_basis(Parts& parts, const ElementBasis& basis) {
  if (basis.tensor) {
    const TensorBasis& t = *basis.tensor;
    parts.check(CeedBasisCreateTensorH1(parts.ceed, basis.dim, 1, t.num_nodes(), t.num_points, t.interp.data(),
                                        t.grad.data(), t.points.data(), t.weights.data(), parts.basis.put()));
  } else {
    const SimplexBasis& s = *basis.simplex;
    parts.check(CeedBasisCreateH1(parts.ceed, CEED_TOPOLOGY_TET, 1, s.num_nodes(), s.num_points(), s.interp.data(),
                                  s.grad.data(), s.rule.points.data(), s.rule.weights.data(), parts.basis.put()));
  }
}

void make_restrictions(Parts& parts, const ElementData<double>& data) {
  const int points = data.basis.num_points();
  const CeedSize size = parts.factors.size();
  const Index strides[3] = {1, data.num_elem * points, points};  // of points, numbers and elements
  std::vector<Index> offsets(data.offsets.span().begin(), data.offsets.span().end());
  for (Index& n : offsets) n = n < 0 ? ~n : n;
  parts.check(CeedElemRestrictionCreate(parts.ceed, data.num_elem, data.nodes(), 1, 1, data.num_dofs(), CEED_MEM_HOST,
                                        CEED_COPY_VALUES, offsets.data(), parts.nodes.put()));
  parts.check(CeedElemRestrictionCreateStrided(parts.ceed, data.num_elem, points, data.num_stored, size, strides,
                                               parts.points.put()));
  parts.check(CeedVectorCreate(parts.ceed, size, parts.stored.put()));
  parts.check(CeedVectorSetArray(parts.stored, parts.memory, CEED_USE_POINTER, parts.factors.data()));
}

void make_operator(Parts& parts, const ElementData<double>& data, bool mass) {
  const CeedEvalMode mode = mass ? CEED_EVAL_INTERP : CEED_EVAL_GRAD;
  const CeedInt size = mass ? 1 : data.basis.dim;
  const auto& c = parts;
  c.check(CeedQFunctionCreateInterior(c.ceed, 1, mass ? apply_mass : apply_diffusion,
                                      mass ? apply_mass_loc : apply_diffusion_loc, parts.physics.put()));
  c.check(CeedQFunctionAddInput(c.physics, "u", size, mode));
  c.check(CeedQFunctionAddInput(c.physics, "stored", data.num_stored, CEED_EVAL_NONE));
  c.check(CeedQFunctionAddOutput(c.physics, "v", size, mode));
  c.check(CeedOperatorCreate(c.ceed, c.physics, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, parts.op.put()));
  c.check(CeedOperatorSetField(c.op, "u", c.nodes, c.basis, CEED_VECTOR_ACTIVE));
  c.check(CeedOperatorSetField(c.op, "stored", c.points, CEED_BASIS_NONE, c.stored));
  c.check(CeedOperatorSetField(c.op, "v", c.nodes, c.basis, CEED_VECTOR_ACTIVE));
  c.check(CeedVectorCreate(c.ceed, data.num_dofs(), parts.x.put()));
  c.check(CeedVectorCreate(c.ceed, data.num_dofs(), parts.y.put()));
}

/// One thread at a time: libCEED's vectors remember where x and y lie.
class Libceed final : public Operator<double> {
 public:
  Libceed(std::shared_ptr<const Parts> parts, Device device, std::int64_t size, bool whole)
      : parts_(std::move(parts)), device_(device), size_(size), whole_(whole) {}
  Shape shape() const override { return {size_, size_}; }
  Device device() const override { return device_; }
  Traffic traffic(int, bool) const override { return parts_->traffic; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<double>& r) const override {
    require<Unsupported>(r.alpha == 1 && r.beta == 0 && r.y.num == 1 && r.op == Op::none,
                         "libCEED: y = A x of one vector is all that this peer does");
    require(!queue.stream(), "libCEED: it launches on the default stream, so the queue must be that of the peer");
    const Parts& parts = *parts_;
    parts.check(CeedVectorSetArray(parts.x, parts.memory, CEED_USE_POINTER, const_cast<double*>(r.x.data)));
    parts.check(CeedVectorSetArray(parts.y, parts.memory, CEED_USE_POINTER, r.y.data));
    parts.check(CeedOperatorApply(parts.op, parts.x, parts.y, CEED_REQUEST_IMMEDIATE));
    if (!whole_) return;
    if (device_.on_host()) {
      for (const Index n : parts.constrained.span()) r.y.data[n] = r.x.data[n];
    } else if constexpr (build::cuda) {
      cuda::sum_elements<double>(queue, RestrictionOnGpu{}, 1.0, nullptr, 0.0, r.y.data,
                                 parts.constrained.device_span(), r.x.data);
    }
  }

  std::shared_ptr<const Parts> parts_;
  Device device_;
  std::int64_t size_;
  bool whole_;  // are constrained nodes seen to?
};

std::string version() {
  int major = 0, minor = 0, patch = 0;
  bool release = false;
  const char* commit = "";
  CeedGetVersion(&major, &minor, &patch, &release);
  CeedGetGitVersion(&commit);
  return join(major, '.', minor, '.', patch, " (", commit, ')');
}

/// /gpu/cuda/gen is cuda-gen.
std::string short_name(std::string resource) {
  resource = resource.substr(0, resource.find(':'));
  resource.erase(0, resource.find('/', 1) + 1);
  std::replace(resource.begin(), resource.end(), '/', '-');
  return resource;
}

}  // namespace

Peer make_libceed(const ElementOperator<double>& on_host, Device device) {
  const ElementData<double>& data = on_host.data();
  const bool mass = on_host.physics().uses_value;
  require<Unsupported>(!data.factors.empty() && on_host.device().on_host() && data.comps == 1 &&
                           mass != on_host.physics().uses_grad && data.num_stored == (mass ? 1 : 6),
                       "libCEED: mass and diffusion of one component with stored factors on the host are what this "
                       "peer is made from");
  const std::int64_t numbers = data.num_elem * data.stored_per_element();
  require<Unsupported>(numbers <= std::numeric_limits<CeedInt>::max(), "libCEED: its kernels number stored factors ",
                       "with 32 bits; here are ", numbers, ", ask for fewer unknowns");
  const std::string asked = environment("MILLRACE_LIBCEED_RESOURCE");
  auto made = std::make_unique<Parts>();
  try {
    start(*made, !asked.empty() ? asked : device.on_host() ? "/cpu/self" : "/gpu/cuda/gen", device);
    made->factors = factors_by_number(data).to(device);
    made->constrained = data.constrained.to(device);
    made->traffic = on_host.traffic();
    make_basis(*made, data.basis);
    make_restrictions(*made, data);
    make_operator(*made, data, mass);
  } catch (...) {
    (void)made.release();  // libCEED fails to destroy some things that it failed to make
    throw;
  }
  const std::shared_ptr<const Parts> parts = std::move(made);
  const char* resource = "";
  parts->check(CeedGetResource(parts->ceed, &resource));
  const auto operation = [&](bool whole) { return std::make_unique<Libceed>(parts, device, data.num_dofs(), whole); };
  return {join("libCEED, ", short_name(resource)), version(),
          device.on_host() ? Queue() : Queue::borrow(device, nullptr), operation(false), operation(true)};
}

}  // namespace millrace::bp_peers
