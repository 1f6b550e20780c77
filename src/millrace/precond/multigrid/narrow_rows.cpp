// A row loop on host threads.
#include "millrace/precond/multigrid/narrow_rows.hpp"

#include <cmath>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {

template <class W>
NarrowRows<W>::NarrowRows(Queue& queue, const Csr<W>& a) : row_ptr_(Offset{a.num_rows} + 1), diagonal_(a.num_rows) {
  a.visit_view([&](const auto& view) {
    parallel_for(queue.num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        Offset num = 0;
        for (Index k = 0; k < view.length(r); ++k) num += view.column(view.slot(r, k)) != r;
        row_ptr_.data()[r] = num;
      }
    });
    const Offset num = lengths_to_offsets(queue.num_threads(), row_ptr_.data(), a.num_rows);
    cols_ = Array<Index>(num);
    vals_ = Array<Bfloat16>(num);
    parallel_for(queue.num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        Index* to = cols_.data() + row_ptr_.data()[r];
        for (Index k = 0; k < view.length(r); ++k)
          if (const Index c = view.column(view.slot(r, k)); c != r) *to++ = c;
      }
    });
  });
  update(queue, a);
}

template <class W>
void NarrowRows<W>::update(Queue& queue, const Csr<W>& a) {
  a.visit_view([&](const auto& view) {
    parallel_for(queue.num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        double own = 0;
        Bfloat16* to = vals_.data() + row_ptr_.data()[r];
        for (Index k = 0; k < view.length(r); ++k) {
          const Offset s = view.slot(r, k);
          const auto value = static_cast<double>(view.value(s));
          if (view.column(s) == r) {
            own += value;
            continue;
          }
          *to = Bfloat16(static_cast<float>(value));
          own += value - double{static_cast<float>(*to++)};
        }
        diagonal_.data()[r] = static_cast<W>(own);
        require(is_finite(diagonal_.data()[r]),
                "amg: a level has numbers beyond the range of bfloat16; ask for full precision");
      }
    });
  });
}

template <class W>
Traffic NarrowRows<W>::traffic(int num_vectors, bool reads_y) const {
  Traffic traffic;
  const auto n = static_cast<double>(diagonal_.size());
  traffic.matrix = static_cast<double>(bytes());
  traffic.vectors = n * sizeof(W) * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = (n + static_cast<double>(vals_.size())) * sizeof(W) + traffic.vectors;
  return traffic;
}

template <class W>
void NarrowRows<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  for (int v = 0; v < request.x.num; ++v) {
    const W* const x = request.x.data + v * request.x.stride;
    W* const y = request.y.data + v * request.y.stride;
    parallel_for(queue.num_threads(), diagonal_.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        W sum = diagonal_.data()[r] * x[r];
        for (Offset s = row_ptr_.data()[r]; s < row_ptr_.data()[r + 1]; ++s)
          sum += static_cast<W>(static_cast<float>(vals_.data()[s])) * x[cols_.data()[s]];
        y[r] = request.beta == W{0} ? request.alpha * sum : request.alpha * sum + request.beta * y[r];
      }
    });
  }
}

template class NarrowRows<float>;
template class NarrowRows<double>;

}  // namespace millrace::multigrid
