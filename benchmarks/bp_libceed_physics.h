// Mass and diffusion at the points, in libCEED's form: compiled here for its CPU back ends, and by libCEED from this
// file, when the program runs, into the kernel of its GPU back ends. No header of ours can be included.
#include <ceed/types.h>

/// v = stored u. in: u [points], stored [points]; out: v [points].
CEED_QFUNCTION(apply_mass)(void*, const CeedInt Q, const CeedScalar* const* in, CeedScalar* const* out) {
  CeedPragmaSIMD for (CeedInt i = 0; i < Q; ++i) out[0][i] = in[1][i] * in[0][i];
  return CEED_ERROR_SUCCESS;
}

/// flux = S grad with the symmetric S stored as 00 01 02 11 12 22. in: grad [3, points], stored [6, points]; out: flux
/// [3, points].
CEED_QFUNCTION(apply_diffusion)(void*, const CeedInt Q, const CeedScalar* const* in, CeedScalar* const* out) {
  const CeedInt n = CEED_Q_VLA;  // points of an array: a constant where libCEED compiles this
  CeedPragmaSIMD for (CeedInt i = 0; i < Q; ++i) {
    const CeedScalar x = in[0][i], y = in[0][n + i], z = in[0][2 * n + i];
    const CeedScalar* s = in[1] + i;
    out[0][i] = s[0] * x + s[n] * y + s[2 * n] * z;
    out[0][n + i] = s[n] * x + s[3 * n] * y + s[4 * n] * z;
    out[0][2 * n + i] = s[2 * n] * x + s[4 * n] * y + s[5 * n] * z;
  }
  return CEED_ERROR_SUCCESS;
}
