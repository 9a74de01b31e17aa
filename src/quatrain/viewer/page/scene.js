// The machine in space: meshes on bodies, light, ground and camera. The world's z points up.

class Stage {
  constructor(canvas, holder, header, array) {
    this.header = header;
    this.holder = holder;
    this.soft = softwareDrawn();
    this.triangles = header.meshes.reduce((sum, mesh) => sum + mesh.faces.shape[0], 0);
    this.heavy = this.soft && this.triangles > 60000;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.heavy, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => { this.stale = true; });
    this.meshes = header.meshes.map((mesh) => geometry(mesh, array));
    this.machines = [];
    this.drafted = false;
    this.shown = { collision: false, inertia: false, frames: false, axes: false, com: false, names: false, shadows: true, ground: true };
    this.materials = new Map();
    const [low, high] = header.bounds;
    this.size = Math.max(Math.hypot(...high.map((x, k) => x - low[k])), 1e-3);
    this.centre = high.map((x, k) => (x + low[k]) / 2);
    this.count = header.run ? header.run.labels.length : 1;
    // Side by side: rows along y, as many columns as make it a square.
    this.columns = Math.ceil(Math.sqrt(this.count));
    const machine = Math.max(high[0] - low[0], high[1] - low[1], 0.3 * this.size);
    this.spacing = this.count > 1 ? 1.15 * machine : 0;
    for (let e = 0; e < this.count; e++) this.machines.push(this.machine(e));
    this.whole = this.size + this.spacing * (this.columns - 1);
    this.light();
    this.ground();
    if (this.heavy) this.show("shadows", false);
    this.fit("free");
  }

  offset(e) {
    const deep = Math.ceil(this.count / this.columns);
    return [(Math.floor(e / this.columns) - (deep - 1) / 2) * this.spacing, ((this.columns - 1) / 2 - (e % this.columns)) * this.spacing, 0];
  }

  material(color, role) {
    const key = color.join() + role;
    if (!this.materials.has(key)) {
      const [r, g, b, a] = color, alpha = role === "visual" ? a : 0.35;
      const made = new THREE.MeshLambertMaterial({ color: new THREE.Color().setRGB(r, g, b, "srgb"), opacity: alpha, transparent: alpha < 1 });
      made.depthWrite = alpha === 1;
      this.materials.set(key, made);
    }
    return this.materials.get(key);
  }

  machine(e) {
    const { header } = this, root = new THREE.Group(), length = 0.12 * this.size;
    root.position.set(...this.offset(e));
    const bodies = header.bodies.map(() => new THREE.Group());
    const on = (body) => (body < 0 ? root : bodies[body]);
    const marks = { collision: [], inertia: [], frames: [], axes: [], com: [] };
    for (const body of bodies) root.add(body);
    for (const part of header.parts) {
      const mesh = new THREE.Mesh(this.meshes[part.mesh], this.material(part.color, part.role));
      place(mesh, part.pose);
      mesh.castShadow = mesh.receiveShadow = part.role === "visual" && part.color[3] === 1;
      if (part.role !== "visual") { mesh.visible = false; marks[part.role].push(mesh); }
      on(part.body).add(mesh);
    }
    for (const frame of header.marked) { const axes = new THREE.AxesHelper(length); place(axes, frame.pose); on(frame.body).add(axes); }
    header.bodies.forEach((body, k) => {
      const own = new THREE.AxesHelper(length);
      own.visible = false; bodies[k].add(own); marks.frames.push(own);
      for (const [i, motion] of body.motions.entries()) {
        if (motion.kind === "ball") continue;
        const line = arrow(motion.axis, 1.6 * length, motion.kind === "slide" ? 0x009e73 : 0xd55e00);
        line.userData = { body: k, upto: i };
        line.visible = false; root.add(line); marks.axes.push(line);
      }
    });
    for (const frame of header.frames) {
      const axes = new THREE.AxesHelper(0.6 * length);
      place(axes, frame.pose); axes.visible = false; on(frame.body).add(axes); marks.frames.push(axes);
    }
    const com = new THREE.Sprite(new THREE.SpriteMaterial({ map: disc(), depthTest: false, sizeAttenuation: false }));
    com.scale.setScalar(0.028); com.visible = false; com.renderOrder = 2; root.add(com); marks.com.push(com);
    this.scene.add(root);
    return { root, bodies, marks, com, found: [] };
  }

  light() {
    const { size, centre, scene } = this;
    scene.add(new THREE.HemisphereLight(0xffffff, 0x9a948c, 1.55));
    this.sun = new THREE.DirectionalLight(0xffffff, 1.7);
    const reach = 0.9 * this.whole, map = this.soft ? 1024 : 2048;
    this.sunAway = [0.9 * this.whole, 0.6 * this.whole, 1.9 * this.whole];
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(map, map);
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * size, far: 6 * this.whole });
    this.sun.shadow.normalBias = 0.002 * size;
    this.sun.shadow.radius = 3;
    scene.add(this.sun, this.sun.target);
    this.aim(centre);
  }

  // The light goes along with what the camera looks at, so that its shadow stays on the map.
  aim(at) {
    this.sun.target.position.set(...at);
    this.sun.position.set(...at.map((x, k) => x + this.sunAway[k]));
  }

  ground() {
    const [low, high] = this.header.bounds;
    // What stands on the ground stands on it; what hangs or floats has it below.
    this.floor = low[2] > -0.02 * this.size && low[2] < 0.5 * this.size ? Math.min(low[2], 0) : low[2] - 0.04 * this.size;
    this.cell = 10 ** Math.floor(Math.log10(this.size));
    if (this.size / this.cell < 2.5) this.cell /= 2;
    const n = 24, half = n * this.cell, points = [], colours = [];
    for (let i = -n; i <= n; i++) for (const swap of [false, true]) for (let j = -n; j < n; j++) {
      for (const k of [j, j + 1]) {
        const x = i * this.cell, y = k * this.cell;
        points.push(...(swap ? [y, x, 0] : [x, y, 0]));
        colours.push(1, 1, 1, 0.55 * Math.max(0, 1 - Math.hypot(x, y) / half) * (i % 5 ? 0.5 : 1));
      }
    }
    const grid = new THREE.BufferGeometry();
    grid.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
    grid.setAttribute("color", new THREE.BufferAttribute(new Float32Array(colours), 4));
    this.grid = new THREE.LineSegments(grid, new THREE.LineBasicMaterial({ color: 0x8893a0, vertexColors: true, transparent: true, depthWrite: false }));
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(2 * half, 2 * half), new THREE.ShadowMaterial({ opacity: 0.22 }));
    this.shade.receiveShadow = true;
    for (const one of [this.grid, this.shade]) { one.position.z = this.floor; this.scene.add(one); }
    this.shade.position.z -= 1e-4 * this.size;
  }

  show(what, yes) {
    this.shown[what] = yes;
    if (what === "shadows") { this.sun.castShadow = yes; this.shade.visible = yes && this.shown.ground; }
    else if (what === "ground") { this.grid.visible = yes; this.shade.visible = yes && this.shown.shadows; }
    else for (const machine of this.machines) for (const mark of machine.marks[what] ?? []) mark.visible = yes;
    if (what === "names") this.holder.querySelector("#names").replaceChildren();
    this.stale = true;
  }

  // Where no graphics card draws, motion is drawn with fewer points, without shadows and with coarser meshes.
  draft(yes) {
    if (!this.soft || this.drafted === yes) return;
    this.drafted = yes;
    if (yes) { this.fine ??= this.meshes.map((mesh) => mesh.index); this.coarse ??= this.meshes.map((mesh) => coarser(mesh, this.size / 150)); }
    this.meshes.forEach((mesh, k) => mesh.setIndex((yes ? this.coarse : this.fine)[k]));
    this.sun.castShadow = !yes && this.shown.shadows;
    this.shade.visible = this.sun.castShadow && this.shown.ground;
    this.width = 0; // so that the size is set anew
  }

  // The camera from a side, so that everything is seen.
  fit(from) {
    const ways = { free: [1, 0.75, 0.5], front: [1, 0, 0.08], side: [0, -1, 0.08], top: [0.001, 0, 1] };
    const away = 0.53 * this.whole / Math.tan((this.camera.fov / 2) * Math.PI / 180);
    const way = new THREE.Vector3(...ways[from]).normalize().multiplyScalar(away);
    this.controls.target.set(...this.centre);
    this.camera.position.set(...this.centre).add(way);
    this.camera.near = away / 200;
    this.camera.far = away * 40;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.stale = true;
  }

  // Bodies of one machine where its state q has them; one that is not finite is not drawn.
  stand(e, q) {
    const machine = this.machines[e], finite = q.every(Number.isFinite);
    machine.root.visible = finite;
    machine.found = poses(this.header.bodies, q);
    machine.found.forEach((X, k) => { if (finite) place(machine.bodies[k], X); });
    if (finite && this.shown.axes) for (const line of machine.marks.axes) place(line, this.axisPose(machine, q, line.userData));
    let mass = 0, sum = [0, 0, 0];
    this.header.bodies.forEach((body, k) => {
      const at = rotate(machine.found[k], ...body.com);
      mass += body.mass;
      for (let i = 0; i < 3; i++) sum[i] += body.mass * (at[i] + machine.found[k][4 + i]);
    });
    machine.mass = sum.map((x) => x / (mass || 1));
    machine.com.position.set(...machine.mass);
    this.stale = true;
  }

  // Where a joint's axis stands: after the motions of the joint before it.
  axisPose(machine, q, { body: k, upto }) {
    const body = this.header.bodies[k];
    let X = compose(body.parent < 0 ? IDENTITY : machine.found[body.parent], body.PJ);
    for (const motion of body.motions.slice(0, upto)) X = compose(X, moved(body, motion, q));
    return X;
  }

  // The camera and its target move along with a point.
  follow(point) {
    const target = this.controls.target, step = new THREE.Vector3(...point).sub(target);
    target.add(step);
    this.camera.position.add(step);
    this.aim(point);
    this.grid.position.x = Math.round(point[0] / (5 * this.cell)) * 5 * this.cell;
    this.grid.position.y = Math.round(point[1] / (5 * this.cell)) * 5 * this.cell;
    this.shade.position.x = this.grid.position.x;
    this.shade.position.y = this.grid.position.y;
    this.controls.update();
  }

  trail(points, e, colour) {
    const line = new THREE.BufferGeometry();
    line.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points.flat()), 3));
    const made = new THREE.Line(line, new THREE.LineBasicMaterial({ color: colour }));
    made.frustumCulled = false;
    this.machines[e].root.add(made);
    this.stale = true;
    return made;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.holder, ratio = Math.min(window.devicePixelRatio, 2) * (this.drafted ? 0.6 : 1);
    if (!width || !height) return;
    if (this.width !== width || this.height !== height) {
      Object.assign(this, { width, height, stale: true });
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
    }
    this.controls.update();
    if (!this.stale) return;
    this.stale = false;
    this.renderer.setClearColor(getComputedStyle(document.body).getPropertyValue("--sky").trim() || "#eef1f5");
    this.renderer.render(this.scene, this.camera);
    if (this.shown.names) this.label();
  }

  label() {
    const box = this.holder.querySelector("#names"), first = this.machines[0];
    const all = [...this.header.bodies.map((b, k) => [b.name, first.found[k]]),
      ...this.header.frames.map((f) => [f.name, f.body < 0 ? f.pose : compose(first.found[f.body], f.pose)])];
    while (box.children.length < all.length) box.append(document.createElement("span"));
    all.forEach(([name, X], k) => {
      const at = new THREE.Vector3(X[4], X[5], X[6]).add(first.root.position).project(this.camera), span = box.children[k];
      span.textContent = name;
      span.hidden = at.z > 1;
      span.style.left = `${(at.x + 1) / 2 * this.width}px`;
      span.style.top = `${(1 - at.y) / 2 * this.height}px`;
    });
  }
}

function geometry(mesh, array) {
  const places = array(mesh.vertices), made = new THREE.BufferGeometry(), { low, size } = mesh;
  const vertices = new Float32Array(places.length);
  for (let i = 0; i < places.length; i++) vertices[i] = low[i % 3] + places[i] / 65535 * size[i % 3];
  made.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
  made.setAttribute("normal", new THREE.BufferAttribute(array(mesh.normals), 3, true));
  made.setIndex(new THREE.BufferAttribute(array(mesh.faces), 1));
  return made;
}

// The triangles left when vertices within a cell that face much the same way become one.
function coarser(mesh, cell) {
  const places = mesh.attributes.position.array, normals = mesh.attributes.normal.array, faces = mesh.index.array;
  if (faces.length < 3000) return mesh.index;
  const first = new Map(), stands = new Uint32Array(places.length / 3), kept = [];
  for (let i = 0; i < stands.length; i++) {
    let key = "";
    for (let k = 3 * i; k < 3 * i + 3; k++) key += `${Math.floor(places[k] / cell)},${Math.round(normals[k] / 90)},`;
    if (!first.has(key)) first.set(key, i);
    stands[i] = first.get(key);
  }
  for (let i = 0; i < faces.length; i += 3) {
    const [a, b, c] = [stands[faces[i]], stands[faces[i + 1]], stands[faces[i + 2]]];
    if (a !== b && b !== c && c !== a) kept.push(a, b, c);
  }
  return new THREE.BufferAttribute(new Uint32Array(kept), 1);
}

function place(object, [w, x, y, z, px, py, pz]) {
  object.position.set(px, py, pz);
  object.quaternion.set(x, y, z, w);
}

function arrow(axis, length, colour) {
  const end = axis.map((x) => x * length), made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(new Float32Array([...end.map((x) => -x), ...end]), 3));
  return new THREE.LineSegments(made, new THREE.LineBasicMaterial({ color: colour, depthTest: false }));
}

function disc() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const ctx = canvas.getContext("2d");
  for (let k = 0; k < 4; k++) {
    ctx.fillStyle = k % 2 ? "#ffffff" : "#111111";
    ctx.beginPath(); ctx.moveTo(32, 32); ctx.arc(32, 32, 29, k * Math.PI / 2, (k + 1) * Math.PI / 2); ctx.fill();
  }
  ctx.strokeStyle = "#111111"; ctx.lineWidth = 4;
  ctx.beginPath(); ctx.arc(32, 32, 29, 0, 2 * Math.PI); ctx.stroke();
  return new THREE.CanvasTexture(canvas);
}

// Whether pictures are drawn without a graphics card: less is then asked for.
function softwareDrawn() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return true;
  const name = gl.getParameter(gl.RENDERER) + (gl.getExtension("WEBGL_debug_renderer_info") ? gl.getParameter(0x9246) : "");
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
