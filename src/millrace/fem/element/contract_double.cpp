// The compiled sizes of the loop of contract.hpp, in double.
#include "millrace/fem/element/contract_sized.hpp"

namespace millrace::detail {

template Contract<double> compiled_contract<double>(int, int, bool);

}  // namespace millrace::detail
