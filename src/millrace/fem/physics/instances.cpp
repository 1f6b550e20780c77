// Compiles the built-in physics with constant coefficients.
#include "millrace/fem/physics/instances.hpp"

namespace millrace {

template PointKernel<float> make_point_kernel<float>(const fem::Mass<2>&);
template PointKernel<float> make_point_kernel<float>(const fem::Diffusion<2>&);
template PointKernel<float> make_point_kernel<float>(const fem::VectorMass<2>&);
template PointKernel<float> make_point_kernel<float>(const fem::VectorDiffusion<2>&);
template PointKernel<float> make_point_kernel<float>(const fem::Helmholtz<2>&);
template PointKernel<float> make_point_kernel<float>(const fem::ConvectionDiffusion<2>&);
template PointKernel<float> make_point_kernel<float>(const fem::Elasticity<2>&);
template PointKernel<float> make_point_kernel<float>(const fem::Mass<3>&);
template PointKernel<float> make_point_kernel<float>(const fem::Diffusion<3>&);
template PointKernel<float> make_point_kernel<float>(const fem::VectorMass<3>&);
template PointKernel<float> make_point_kernel<float>(const fem::VectorDiffusion<3>&);
template PointKernel<float> make_point_kernel<float>(const fem::Helmholtz<3>&);
template PointKernel<float> make_point_kernel<float>(const fem::ConvectionDiffusion<3>&);
template PointKernel<float> make_point_kernel<float>(const fem::Elasticity<3>&);
template PointKernel<double> make_point_kernel<double>(const fem::Mass<2>&);
template PointKernel<double> make_point_kernel<double>(const fem::Diffusion<2>&);
template PointKernel<double> make_point_kernel<double>(const fem::VectorMass<2>&);
template PointKernel<double> make_point_kernel<double>(const fem::VectorDiffusion<2>&);
template PointKernel<double> make_point_kernel<double>(const fem::Helmholtz<2>&);
template PointKernel<double> make_point_kernel<double>(const fem::ConvectionDiffusion<2>&);
template PointKernel<double> make_point_kernel<double>(const fem::Elasticity<2>&);
template PointKernel<double> make_point_kernel<double>(const fem::Mass<3>&);
template PointKernel<double> make_point_kernel<double>(const fem::Diffusion<3>&);
template PointKernel<double> make_point_kernel<double>(const fem::VectorMass<3>&);
template PointKernel<double> make_point_kernel<double>(const fem::VectorDiffusion<3>&);
template PointKernel<double> make_point_kernel<double>(const fem::Helmholtz<3>&);
template PointKernel<double> make_point_kernel<double>(const fem::ConvectionDiffusion<3>&);
template PointKernel<double> make_point_kernel<double>(const fem::Elasticity<3>&);

}  // namespace millrace
