"""The peers of the benchmark of dynamics: Pinocchio in a loop of C++, its call from Python, C that CasADi generates."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent


class Missing(Exception):
    """A peer that is not installed or cannot be compiled here, and why."""


def pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


# ---- Pinocchio in C++ --------------------------------------------------------------------------------------------


@cache
def pinocchio_library() -> ctypes.CDLL:
    """`pinocchio_loop.cpp`, compiled for this processor against the headers of the installed package.

    That takes a minute or two. QUATRAIN_PINOCCHIO_LOOP names a file in which the library is kept for the next run.
    """
    import pinocchio

    kept = os.environ.get("QUATRAIN_PINOCCHIO_LOOP")
    library = Path(kept) if kept else Path(tempfile.mkdtemp(prefix="pinocchio_loop_")) / "loop.so"
    if not library.exists():
        compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
        if compiler is None:
            raise Missing("no C++ compiler: Pinocchio's loop is left out")
        prefix = Path(pinocchio.__file__).resolve().parents[4]
        command = [compiler, *_flags(prefix), str(HERE / "pinocchio_loop.cpp"), "-o", str(library)]
        done = subprocess.run(
            [*command, f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            said = next((line for line in done.stderr.splitlines() if "error" in line), "no message")
            raise Missing(f"Pinocchio's loop does not compile here, and is left out: {said.strip()[:200]}")
    found = ctypes.CDLL(str(library))
    found.bench_new.restype = ctypes.c_void_p
    return found


def _flags(prefix: Path) -> list[str]:
    """How Pinocchio wants to be compiled, at the compiler's best."""
    targets = prefix / "lib/cmake/pinocchio/pinocchioTargets.cmake"
    defined = re.search(r'INTERFACE_COMPILE_DEFINITIONS "(BOOST[^"]*)"', targets.read_text(encoding="utf-8"))
    places = (prefix / "include/eigen3", Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3"))
    eigen = next((place for place in places if (place / "Eigen/Core").exists()), None)
    if eigen is None:
        raise Missing("no headers of Eigen (pip install cmeel-eigen): Pinocchio's loop is left out")
    return [
        *("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-shared", "-fPIC"),
        *(f"-D{name}" for name in (defined[1].split(";") if defined else ())),
        *(f"-I{prefix / 'include'}", f"-I{eigen}"),
    ]


class PinocchioLoop:
    """A model of Pinocchio's in that library; `run` does one algorithm for every state of a batch."""

    def __init__(self, model: Any) -> None:
        self.library, self.model = pinocchio_library(), model
        kinds, parents, numbers = [], [], []
        for k, joint in enumerate(list(model.joints)[1:], 1):
            place, inertia = model.jointPlacements[k], model.inertias[k]
            axis = getattr(joint.extract(), "axis", np.zeros(3))
            kinds.append(joint.shortname().removeprefix("JointModel").encode())
            parents.append(model.parents[k])
            numbers += [*place.rotation.ravel(), *place.translation, *axis]
            numbers += [inertia.mass, *inertia.lever, *inertia.inertia.ravel()]
        n = len(kinds)
        self.handle = ctypes.c_void_p(
            self.library.bench_new(
                n,
                (ctypes.c_char_p * n)(*kinds),
                (ctypes.c_int * n)(*parents),
                (ctypes.c_double * len(numbers))(*numbers),
            )
        )

    def run(self, what: str, q: Any, v: Any, a: Any, out: Any) -> Callable[[], None]:
        arrays = (q, v, a, out)  # the function holds them: their addresses stay good
        given = (self.handle, what.encode(), len(q), *map(pointer, arrays))

        def call(_: Any = arrays) -> None:
            if self.library.bench_run(*given):
                raise ValueError(f"the loop knows no {what}")

        return call

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.library.bench_free(self.handle)


# ---- Pinocchio from Python -------------------------------------------------------------------------------------


def pinocchio_call(model: Any, what: str, q: Any, v: Any, a: Any) -> Callable[[], Any]:
    """Its call for one state."""
    import pinocchio as pin

    data, last = model.createData(), model.njoints - 1
    calls: dict[str, Callable[[], Any]] = {
        "inverse_dynamics": lambda: pin.rnea(model, data, q, v, a),
        "forward_dynamics": lambda: pin.aba(model, data, q, v, a),
        "coriolis_matrix": lambda: pin.computeCoriolisMatrix(model, data, q, v),
        "mass_matrix": lambda: pin.crba(model, data, q),
        "poses": lambda: pin.forwardKinematics(model, data, q),
        "jacobian": lambda: pin.computeJointJacobian(model, data, q, last),
    }
    return calls[what]


# ---- C that CasADi generates -------------------------------------------------------------------------------------


def casadi_forward_dynamics(urdf: Path, joints: list[str]) -> Callable[..., Callable[[], None]]:
    """Forward dynamics of an arm as adam-robotics writes it for CasADi (M⁻¹ (τ − h), M by Cholesky), generated as C and
    compiled; what is returned makes a run over a batch. Joints that are not named are fixed."""
    try:
        import casadi
        from adam.casadi import KinDynComputations
    except ImportError:
        raise Missing("no adam-robotics[casadi]: CasADi's generated C is left out") from None
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise Missing("no C compiler: CasADi's generated C is left out")
    # Version 0.5 cannot do sliding joints at all, and an arm's hand need not move.
    text = urdf.read_text(encoding="utf-8").replace('type="prismatic"', 'type="fixed"')
    with contextlib.redirect_stderr(io.StringIO()):  # its parser names every attribute that it does not know
        machine = KinDynComputations(text, joints, gravity=np.array([0, 0, -9.81, 0, 0, 0]))
    q, v, tau = (casadi.SX.sym(name, len(joints)) for name in ("q", "v", "tau"))
    base, still = casadi.SX.eye(4), casadi.SX.zeros(6)
    M = machine.mass_matrix_fun()(base, q)[6:, 6:]
    R = casadi.chol(M)
    a = casadi.solve(R, casadi.solve(R.T, tau - machine.bias_force_fun()(base, q, still, v)[6:]))
    function = casadi.Function("fd", [q, v, tau], [a], {"cse": True})
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "fd.c", Path(folder) / "fd.so"
        source.write_text(_generated(function) + _LOOP.replace("COUNT", str(len(joints))), encoding="utf-8")
        flags = ("-O3", "-march=native", "-shared", "-fPIC")
        subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
    work = np.empty(function.sz_w() + 1)

    def over(q: Any, v: Any, tau: Any, out: Any) -> Callable[[], None]:
        arrays = (q, v, tau, out, work)
        given = (len(q), *map(pointer, arrays))
        return lambda _=arrays: loaded.loop(*given)

    return over


def _generated(function: Any) -> str:
    import casadi

    generator = casadi.CodeGenerator("fd.c")
    generator.add(function)
    return str(generator.dump())


_LOOP = """
void loop(int n, const double* q, const double* v, const double* tau, double* out, double* w) {
  for (int i = 0; i < n; ++i) {
    const double* arg[8] = {q + i * COUNT, v + i * COUNT, tau + i * COUNT};
    double* res[8] = {out + i * COUNT};
    long long iw[1];
    fd(arg, res, iw, w, 0);
  }
}
"""


# ---- MuJoCo ------------------------------------------------------------------------------------------------------


def mujoco_model(model: Any) -> Any:
    """The same machine as MuJoCo's, of hinges, slides and free joints; without contacts, limits and friction."""
    try:
        import mujoco
    except ImportError:
        raise Missing("no mujoco: it is left out") from None
    spec = mujoco.MjSpec()
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    spec.compiler.inertiafromgeom = 0
    spec.compiler.boundmass, spec.compiler.boundinertia, spec.compiler.balanceinertia = 1e-9, 1e-12, True
    made: list[Any] = []
    for body in model.bodies:
        parent = made[body.parent] if body.parent >= 0 else spec.worldbody
        X = body.joint.X_PJ
        made.append(
            parent.add_body(
                name=body.name,
                pos=list(X.p),
                quat=list(X.q),
                mass=body.mass,
                ipos=list(body.p_BBcm),
                fullinertia=list(body.I_Bcm_B),
                explicitinertial=True,
            )
        )
        kind = {"revolute": "HINGE", "continuous": "HINGE", "prismatic": "SLIDE", "free": "FREE"}[
            body.joint.kind
        ]
        options: dict[str, Any] = {} if kind == "FREE" else {"axis": list(body.joint.axes[0])}
        if any(body.joint.armature):
            options["armature"] = body.joint.armature[0]
        made[-1].add_joint(name=body.joint.name, type=getattr(mujoco.mjtJoint, f"mjJNT_{kind}"), **options)
    return spec.compile()


def mujoco_calls(model: Any) -> Callable[..., dict[str, Callable[[], Any]]]:
    """MuJoCo's functions for a state, by quantity, called from Python."""
    there = mujoco_model(model)
    import mujoco

    data, M = mujoco.MjData(there), np.empty((there.nv, there.nv))

    def of(q: Any, v: Any, a: Any) -> dict[str, Callable[[], Any]]:
        data.qpos[:], data.qvel[:], data.qacc[:], data.qfrc_applied[:] = q, v, a, a

        def mass_matrix() -> None:
            mujoco.mj_kinematics(there, data)
            mujoco.mj_comPos(there, data)
            mujoco.mj_crb(there, data)
            mujoco.mj_fullM(there, data, M)

        return {
            "inverse_dynamics": lambda: mujoco.mj_inverse(there, data),
            "forward_dynamics": lambda: mujoco.mj_forward(there, data),
            "mass_matrix": mass_matrix,
            "poses": lambda: mujoco.mj_kinematics(there, data),
        }

    return of
