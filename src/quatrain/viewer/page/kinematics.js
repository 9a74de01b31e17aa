// Where every body stands: the same products of poses as quatrain.equations.poses. A pose is [w, x, y, z, px, py, pz].

const IDENTITY = [1, 0, 0, 0, 0, 0, 0];

function rotate(q, x, y, z) {
  const [w, a, b, c] = q;
  const u = 2 * (b * z - c * y), v = 2 * (c * x - a * z), s = 2 * (a * y - b * x);
  return [x + w * u + b * s - c * v, y + w * v + c * u - a * s, z + w * s + a * v - b * u];
}

function compose(A, B) {
  const [w, x, y, z] = A, [a, b, c, d] = B;
  const p = rotate(A, B[4], B[5], B[6]);
  return [
    w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c, w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a,
    A[4] + p[0], A[5] + p[1], A[6] + p[2],
  ];
}

function moved(body, motion, q) {
  const k = motion.q, [x, y, z] = motion.axis;
  if (motion.kind === "ball") return [q[k], q[k + 1], q[k + 2], q[k + 3], 0, 0, 0];
  const value = q[k] * body.ratio + body.offset;
  if (motion.kind === "slide") return [1, 0, 0, 0, x * value, y * value, z * value];
  const s = Math.sin(value / 2), along = motion.kind === "screw" ? value * body.pitch : 0;
  return [Math.cos(value / 2), x * s, y * s, z * s, x * along, y * along, z * along];
}

function poses(bodies, q) {
  const found = [];
  for (const body of bodies) {
    let X = compose(body.parent < 0 ? IDENTITY : found[body.parent], body.PJ);
    for (const motion of body.motions) X = compose(X, moved(body, motion, q));
    found.push(compose(X, body.MB));
  }
  return found;
}

// The state between two records: attitudes go the shorter way round, all else along a line.
function between(a, b, part, balls) {
  const q = a.map((x, i) => x + (b[i] - x) * part);
  for (const k of balls) {
    let dot = 0;
    for (let i = k; i < k + 4; i++) dot += a[i] * b[i];
    let length = 0;
    for (let i = k; i < k + 4; i++) {
      q[i] = a[i] * (1 - part) + (dot < 0 ? -b[i] : b[i]) * part;
      length += q[i] * q[i];
    }
    for (let i = k; i < k + 4; i++) q[i] /= Math.sqrt(length);
  }
  return q;
}

// The quaternion of a rotation vector.
function attitude(x, y, z) {
  const angle = Math.hypot(x, y, z), s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), x * s, y * s, z * s];
}

function rotationVector(w, x, y, z) {
  const s = Math.hypot(x, y, z), angle = 2 * Math.atan2(s, Math.abs(w)), f = (s > 1e-9 ? angle / s : 2) * (w < 0 ? -1 : 1);
  return [x * f, y * f, z * f];
}
