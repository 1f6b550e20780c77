// The compiled sizes of the loop of contract.hpp, in float.
#include "millrace/fem/element/contract_sized.hpp"

namespace millrace::detail {

template Contract<float> compiled_contract<float>(int, int, bool);

}  // namespace millrace::detail
