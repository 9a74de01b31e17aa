"""A body tumbles past the attitude where roll, pitch and yaw are singular.

Its angular velocity is constant, so the exact attitude is known. One integrator carries the three
angles, the other the quaternion, with the same steps; watch what each has left of the truth.
"""

from __future__ import annotations

import math

import quatrain as qt

rpy = qt.AngleConvention("rpy")
rate = qt.Vec3(0.002, 1.0, 0.0)  # in the body [rad/s]
dt, steps = 0.01, 400


def angle_rates(angles: qt.Vec3) -> qt.Vec3:
    return rpy.inverse_body_rate_map(angles) @ rate


def rk4(angles: qt.Vec3) -> qt.Vec3:
    k1 = angle_rates(angles)
    k2 = angle_rates(angles + k1 * (dt / 2))
    k3 = angle_rates(angles + k2 * (dt / 2))
    k4 = angle_rates(angles + k3 * dt)
    return angles + (k1 + k2 * 2 + k3 * 2 + k4) * (dt / 6)


def main() -> None:
    start = angles = qt.Vec3(0.0, 0.0, 0.4)
    q = q_start = rpy.to_quaternion(start)
    print("  time    roll   pitch     yaw   condition   error of the angles   of the quaternion")
    print("   [s]   [deg]   [deg]   [deg]   of the map        [rad]                [rad]")
    for step in range(steps + 1):
        t = step * dt
        exact = q_start.integrate(rate * t)
        if step % 40 == 0 or step == 157:
            shown = [math.degrees(a) for a in rpy.from_quaternion(exact)]
            print(
                f"{t:6.2f}" + "".join(f"{a:8.1f}" for a in shown) + f"{rpy.condition_number(angles):11.1f}"
                f"{rpy.to_quaternion(angles).geodesic_distance(exact):18.1e}{q.geodesic_distance(exact):21.1e}"
            )
        angles, q = rk4(angles), q.integrate(rate * dt)


if __name__ == "__main__":
    main()
