// Stored factors of a host's operator in the order in which kernels of a GPU are given them.
#pragma once

#include "millrace/fem/element_data.hpp"

namespace millrace {

/// [num_elem, num_stored, points]; empty where none are stored.
template <class T>
Array<T> factors_by_element(const ElementData<T>& data);

}  // namespace millrace
