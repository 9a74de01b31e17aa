// Pinocchio's algorithms in a loop over states, compiled for the processor at hand: what C++ code of a user's would do.
// The model is handed over joint by joint, so that nothing depends on how a packaged library was compiled.
#include <cstring>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace pin = pinocchio;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct Bench {
  pin::Model model;
  pin::Data data;
};

static pin::JointModel joint_of(const std::string& kind, const double* axis) {
  const Eigen::Vector3d a(axis[0], axis[1], axis[2]);
  if (kind == "RX") return pin::JointModelRX();
  if (kind == "RY") return pin::JointModelRY();
  if (kind == "RZ") return pin::JointModelRZ();
  if (kind == "PX") return pin::JointModelPX();
  if (kind == "PY") return pin::JointModelPY();
  if (kind == "PZ") return pin::JointModelPZ();
  if (kind == "RevoluteUnaligned") return pin::JointModelRevoluteUnaligned(a);
  if (kind == "PrismaticUnaligned") return pin::JointModelPrismaticUnaligned(a);
  if (kind == "RUBX") return pin::JointModelRUBX();
  if (kind == "RUBY") return pin::JointModelRUBY();
  if (kind == "RUBZ") return pin::JointModelRUBZ();
  if (kind == "RevoluteUnboundedUnaligned") return pin::JointModelRevoluteUnboundedUnaligned(a);
  if (kind == "FreeFlyer") return pin::JointModelFreeFlyer();
  throw std::runtime_error("no joint " + kind);
}

extern "C" {

// Of each joint: kind, parent, placement (rotation row by row, translation), axis, mass, lever, inertia row by row.
void* bench_new(int joints, const char** kinds, const int* parents, const double* numbers) {
  auto* bench = new Bench();
  for (int i = 0; i < joints; ++i) {
    const double* n = numbers + 28 * i;
    const pin::SE3 place(Eigen::Map<const Matrix3>(n), Eigen::Map<const Eigen::Vector3d>(n + 9));
    const auto id = bench->model.addJoint(parents[i], joint_of(kinds[i], n + 12), place, "j" + std::to_string(i));
    bench->model.appendBodyToJoint(
        id, pin::Inertia(n[15], Eigen::Map<const Eigen::Vector3d>(n + 16), Eigen::Map<const Matrix3>(n + 19)), pin::SE3::Identity());
  }
  bench->data = pin::Data(bench->model);
  return bench;
}

void bench_free(void* handle) { delete static_cast<Bench*>(handle); }

// One algorithm for every state, row by row; results go to `out` as far as they are arrays of our own.
int bench_run(void* handle, const char* what, int batch, const double* q, const double* v, const double* a, double* out) {
  auto& [model, data] = *static_cast<Bench*>(handle);
  const int nq = model.nq, nv = model.nv;
  const pin::JointIndex last = model.njoints - 1;
  const std::string name(what);
  Eigen::Matrix<double, 6, Eigen::Dynamic> J = Eigen::MatrixXd::Zero(6, nv);
  for (int i = 0; i < batch; ++i) {
    const Eigen::Map<const Eigen::VectorXd> qi(q + i * nq, nq), vi(v + i * nv, nv), ai(a + i * nv, nv);
    if (name == "inverse_dynamics") {
      Eigen::Map<Eigen::VectorXd>(out + i * nv, nv) = pin::rnea(model, data, qi, vi, ai);
    } else if (name == "forward_dynamics") {
      Eigen::Map<Eigen::VectorXd>(out + i * nv, nv) = pin::aba(model, data, qi, vi, ai, pin::Convention::LOCAL);
    } else if (name == "mass_matrix") {
      pin::crba(model, data, qi, pin::Convention::LOCAL);
      data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose().triangularView<Eigen::StrictlyLower>();
      Eigen::Map<Eigen::MatrixXd>(out + i * nv * nv, nv, nv) = data.M;
    } else if (name == "coriolis_matrix") {
      Eigen::Map<Eigen::MatrixXd>(out + i * nv * nv, nv, nv) = pin::computeCoriolisMatrix(model, data, qi, vi);
    } else if (name == "jacobian") {
      pin::computeJointJacobians(model, data, qi);
      pin::getJointJacobian(model, data, last, pin::LOCAL_WORLD_ALIGNED, J);
      Eigen::Map<Eigen::MatrixXd>(out + i * 6 * nv, 6, nv) = J;
    } else if (name == "poses") {
      pin::forwardKinematics(model, data, qi);
      for (pin::JointIndex k = 1; k < pin::JointIndex(model.njoints); ++k) {
        double* to = out + (i * (model.njoints - 1) + k - 1) * 7;
        Eigen::Map<Eigen::Vector3d>{to} = data.oMi[k].translation();
        Eigen::Map<Eigen::Vector4d>(to + 3) = Eigen::Quaterniond(data.oMi[k].rotation()).coeffs();
      }
    } else if (name == "christoffel") {
      // By central differences of the mass matrix along every velocity: the way that is open to its users.
      const double h = 1e-6;
      std::vector<Eigen::MatrixXd> dM(nv);
      for (int k = 0; k < nv; ++k) {
        const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(nv, k);
        pin::crba(model, data, pin::integrate(model, qi, step), pin::Convention::LOCAL);
        dM[k] = data.M;
        pin::crba(model, data, pin::integrate(model, qi, -step), pin::Convention::LOCAL);
        dM[k] = (dM[k] - data.M) / (2 * h);
        dM[k].triangularView<Eigen::StrictlyLower>() = dM[k].transpose().triangularView<Eigen::StrictlyLower>();
      }
      double* to = out + static_cast<std::ptrdiff_t>(i) * nv * nv * nv;
      for (int k = 0; k < nv; ++k)
        for (int l = 0; l < nv; ++l)
          for (int m = 0; m < nv; ++m) *to++ = 0.5 * (dM[k](m, l) + dM[l](m, k) - dM[m](l, k));
    } else if (name == "regressor") {
      const int columns = 10 * (model.njoints - 1);
      Eigen::Map<Eigen::MatrixXd>(out + static_cast<std::ptrdiff_t>(i) * nv * columns, nv, columns) =
          pin::computeJointTorqueRegressor(model, data, qi, vi, ai);
    } else {
      return 1;
    }
  }
  return 0;
}
}
