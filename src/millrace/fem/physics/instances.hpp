// The built-in physics compiled once, in the library: programs that use them do not compile them again.
#pragma once

#include "millrace/fem/physics/point_kernel.hpp"

namespace millrace {

extern template PointKernel<float> make_point_kernel<float>(const fem::Mass<2>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::Diffusion<2>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::VectorMass<2>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::VectorDiffusion<2>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::Helmholtz<2>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::ConvectionDiffusion<2>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::Elasticity<2>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::Mass<3>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::Diffusion<3>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::VectorMass<3>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::VectorDiffusion<3>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::Helmholtz<3>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::ConvectionDiffusion<3>&);
extern template PointKernel<float> make_point_kernel<float>(const fem::Elasticity<3>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Mass<2>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Diffusion<2>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::VectorMass<2>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::VectorDiffusion<2>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Helmholtz<2>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::ConvectionDiffusion<2>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Elasticity<2>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Mass<3>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Diffusion<3>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::VectorMass<3>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::VectorDiffusion<3>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Helmholtz<3>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::ConvectionDiffusion<3>&);
extern template PointKernel<double> make_point_kernel<double>(const fem::Elasticity<3>&);

}  // namespace millrace
