// Unpacks what the page holds, and connects the machine with its sliders or with time.

const $ = (id) => document.getElementById(id);
const TYPES = { f4: Float32Array, f8: Float64Array, u2: Uint16Array, u4: Uint32Array, i1: Int8Array };

async function unpacked() {
  const text = atob($("data").textContent.trim()), bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  $("data").remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const array = ({ at, type, shape }) => new TYPES[type](buffer, 4 + length + at, shape.reduce((a, b) => a * b, 1));
  return { header, array };
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function looks(stage, header) {
  const box = (what, text) => {
    const input = element("input", { type: "checkbox", checked: stage.shown[what] });
    input.dataset.look = what;
    input.addEventListener("change", () => stage.show(what, input.checked));
    return element("label", {}, input, " " + text);
  };
  const has = (role) => header.parts.some((part) => part.role === role);
  const boxes = [["ground", "ground"], ["shadows", "shadows"], ["names", "names"], ["frames", "frames"], ["axes", "axes of joints"], ["com", "centre of mass"]];
  if (has("inertia")) boxes.push(["inertia", "ellipsoids of inertia"]);
  if (has("collision")) boxes.push(["collision", "shapes of collision"]);
  const views = element("div", {}, ...["free", "front", "side", "top"].map((from) => {
    const button = element("button", { textContent: from });
    button.addEventListener("click", () => stage.fit(from));
    return button;
  }));
  $("looks").append(element("details", {}, element("summary", { textContent: "view" }), views, ...boxes.map((one) => box(...one))));
}

// Drawn, since not every font has them.
function sign(name) {
  const lines = { play: "M4 2v12l9-6z", pause: "M3 2h4v12H3zM9 2h4v12H9z", back: "M12 2v12L5 8zM3 2h2v12H3z", forth: "M4 2v12l7-6zM11 2h2v12h-2z" };
  return `<svg width="13" height="13" viewBox="0 0 16 16" fill="currentColor"><path d="${lines[name]}"/></svg>`;
}

// ---- a still: sliders ------------------------------------------------------------------------------------

function sliders(header, q, changed) {
  const panel = $("panel"), rows = [];
  if (!header.controls.length) return;
  panel.append(element("h2", { textContent: "joints" }));
  const row = (name, unit, lower, upper, read, write) => {
    const input = element("input", { type: "range", min: lower, max: upper, step: "any" }), value = element("output");
    const label = element("span", { textContent: name, title: name });
    input.dataset.name = name;
    const tell = () => { value.textContent = `${read().toFixed(3)} ${unit}`; };
    input.addEventListener("input", () => { write(Number(input.value)); tell(); changed(); });
    rows.push(() => { input.value = read(); tell(); });
    panel.append(element("div", { className: "joint" }, label, value, input));
  };
  for (const { name, q: k, kind, unit, lower, upper } of header.controls) {
    if (kind === "number") { row(name, unit, lower, upper, () => q[k], (x) => { q[k] = x; }); continue; }
    // A rotation vector is kept beside the quaternion, so that its sliders stay where they were put.
    let turn = rotationVector(...q.slice(k, k + 4));
    rows.push(() => { turn = rotationVector(...q.slice(k, k + 4)); });
    "xyz".split("").forEach((axis, i) => row(`${name} about ${axis}`, "rad", -Math.PI, Math.PI, () => turn[i], (x) => {
      turn[i] = x;
      q.splice(k, 4, ...attitude(...turn));
    }));
  }
  const set = (values) => { values.forEach((x, k) => { q[k] = x; }); rows.forEach((tell) => tell()); changed(); };
  const states = [{ name: "as it was", q: [...q] }, ...header.keyframes];
  const choice = element("select", {}, ...states.map((state, k) => element("option", { value: k, textContent: state.name })));
  choice.addEventListener("change", () => set(states[choice.value].q));
  panel.append(element("h2", { textContent: "state" }), choice);
  rows.forEach((tell) => tell());
  return set;
}

// ---- a run: time -----------------------------------------------------------------------------------------

class Replay {
  constructor(stage, header, array) {
    const { run } = header;
    Object.assign(this, { stage, header, t: array(run.t), q: array(run.q), nq: header.q.length, playing: false, speed: 1, chosen: 0 });
    this.records = this.t.length;
    this.balls = header.bodies.flatMap((body) => body.motions.filter((m) => m.kind === "ball").map((m) => m.q));
    this.plots = run.curves.map((curves) => new Plot({ ...curves, values: { ...curves.values, data: array(curves.values) } }, this.t, (t) => this.go(t)));
    this.panel();
    this.bar();
    this.trails = [];
    this.trail($("trail").value);
    this.go(this.t[0]);
  }

  state(e, record) {
    const start = (e * this.records + record) * this.nq;
    return Array.from(this.q.subarray(start, start + this.nq));
  }

  at(e, time) {
    let low = 0, high = this.records - 1;
    while (high - low > 1) { const k = (low + high) >> 1; if (this.t[k] <= time) low = k; else high = k; }
    const part = (time - this.t[low]) / (this.t[high] - this.t[low] || 1);
    if (part <= 0) return this.state(e, low);
    if (part >= 1) return this.state(e, high);
    return between(this.state(e, low), this.state(e, high), part, this.balls);
  }

  go(time) {
    this.time = Math.min(Math.max(time, this.t[0]), this.t[this.records - 1]);
    for (let e = 0; e < this.stage.machines.length; e++) this.stage.stand(e, this.at(e, this.time));
    $("time").value = this.time;
    $("clock").textContent = `${this.time.toFixed(3)} s`;
    for (const plot of this.plots) if (plot.figure.isConnected) plot.mark(this.time);
    if (this.follows) this.along();
  }

  along() {
    const machine = this.stage.machines[this.chosen];
    if (machine.root.visible) this.stage.follow(machine.mass.map((x, k) => x + machine.root.position.getComponent(k)));
  }

  step(count) {
    this.play(false);
    let k = this.t.findIndex((t) => t > this.time + 1e-12);
    if (k < 0) k = this.records;
    const here = this.t[k - 1] < this.time - 1e-12 && count < 0 ? k : k - 1;
    this.go(this.t[Math.min(Math.max(here + count, 0), this.records - 1)]);
  }

  play(yes) {
    this.playing = yes;
    if (yes && this.time >= this.t[this.records - 1]) this.go(this.t[0]);
    this.last = undefined;
    this.stage.draft(yes);
    $("play").innerHTML = sign(yes ? "pause" : "play");
  }

  // Called before each picture, with the browser's time in milliseconds.
  tick(now) {
    if (!this.playing) return;
    const end = this.t[this.records - 1];
    let time = this.time + (this.last === undefined ? 0 : (now - this.last) / 1000 * this.speed);
    this.last = now;
    if (time >= end && $("loop").checked && end > this.t[0]) time = this.t[0] + (time - end) % (end - this.t[0]);
    else if (time >= end) this.play(false);
    this.go(time);
  }

  bar() {
    $("timeline").hidden = false;
    for (const name of ["back", "play", "forth"]) $(name).innerHTML = sign(name);
    Object.assign($("time"), { min: this.t[0], max: this.t[this.records - 1] });
    $("time").addEventListener("input", () => this.go(Number($("time").value)));
    $("play").addEventListener("click", () => this.play(!this.playing));
    $("back").addEventListener("click", () => this.step(-1));
    $("forth").addEventListener("click", () => this.step(1));
    for (const speed of [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 50])
      $("speed").append(element("option", { value: speed, textContent: `× ${speed}`, selected: speed === 1 }));
    $("speed").addEventListener("change", () => { this.speed = Number($("speed").value); });
    window.addEventListener("keydown", (event) => {
      if (event.target.matches?.("input:not([type=range]), select")) return;
      const act = { " ": () => this.play(!this.playing), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1) }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
  }

  panel() {
    const panel = $("panel"), { labels } = this.header.run;
    const tools = element("div", { className: "tools" });
    panel.append(tools);
    if (labels.length > 1) {
      const choice = element("select", { id: "motion" }, ...labels.map((label, e) => element("option", { value: e, textContent: `motion ${label}` })));
      choice.addEventListener("change", () => { this.chosen = Number(choice.value); this.redraw(); });
      tools.append(choice, " ");
    }
    const follow = element("input", { type: "checkbox", id: "follow", checked: this.header.follow });
    this.follows = follow.checked;
    follow.addEventListener("change", () => { this.follows = follow.checked; if (follow.checked) this.along(); });
    tools.append(element("label", {}, follow, " follow"), " ");
    const frames = [...this.header.bodies.map((b) => b.name), ...this.header.frames.map((f) => f.name)];
    const trail = element("select", { id: "trail" }, element("option", { value: "", textContent: "no trail" }),
      ...frames.map((name, k) => element("option", { value: k, textContent: `trail of ${name}` })));
    if (frames.includes(this.header.run.trail)) trail.value = frames.indexOf(this.header.run.trail);
    trail.addEventListener("change", () => this.trail(trail.value));
    tools.append(trail);
    const drawn = element("div", { id: "plots" }), first = this.plots.slice(0, 3);
    for (const plot of this.plots) {
      const input = element("input", { type: "checkbox", checked: first.includes(plot) });
      input.addEventListener("change", () => { this.arrange(drawn); this.redraw(); });
      plot.box = element("label", {}, input, " " + plot.curves.name, " ");
    }
    panel.append(drawn, element("div", { id: "choices" }, ...this.plots.map((plot) => plot.box)));
    this.arrange(drawn);
    new ResizeObserver(() => this.redraw()).observe(panel);
  }

  arrange(drawn) {
    drawn.replaceChildren(...this.plots.filter((plot) => plot.box.querySelector("input").checked).map((plot) => plot.figure));
  }

  redraw() {
    for (const plot of this.plots) if (plot.figure.isConnected && plot.canvas.clientWidth > 0) { plot.prepare(this.chosen); plot.mark(this.time); }
  }

  // The way of a body or a frame through all records.
  trail(value) {
    for (const line of this.trails) { line.removeFromParent(); line.geometry.dispose(); }
    this.trails = [];
    this.stage.stale = true;
    if (value === "") return;
    const k = Number(value), { bodies, frames } = this.header, frame = frames[k - bodies.length];
    const every = Math.max(1, Math.ceil(this.records / 3000));
    for (let e = 0; e < this.stage.machines.length; e++) {
      const points = [];
      for (let i = 0; i < this.records; i += every) {
        const q = this.state(e, i);
        if (!q.every(Number.isFinite)) break;
        const found = poses(bodies, q), X = frame ? (frame.body < 0 ? frame.pose : compose(found[frame.body], frame.pose)) : found[k];
        points.push(X.slice(4));
      }
      this.trails.push(this.stage.trail(points, e, OTHERS[e % OTHERS.length]));
    }
  }
}

// ---- the page --------------------------------------------------------------------------------------------

async function begin() {
  const { header, array } = await unpacked();
  const stage = new Stage($("view"), $("stage"), header, array), q = [...header.q];
  $("notes").textContent = header.notes.join("\n");
  looks(stage, header);
  // What scripts and tests may ask of the page.
  const api = { header, stage, frames: 0, poses: (e = 0) => stage.machines[e].found };
  if (header.run) api.replay = new Replay(stage, header, array);
  else {
    api.set = sliders(header, q, () => stage.stand(0, q));
    api.q = () => [...q];
    stage.stand(0, q);
  }
  const axes = stage.show.bind(stage);
  stage.show = (what, yes) => { axes(what, yes); if (api.replay) api.replay.go(api.replay.time); else stage.stand(0, q); };
  const turn = (now) => {
    api.replay?.tick(now);
    stage.draw();
    api.frames += 1;
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
  window.quatrain = api;
}

begin().catch((error) => {
  $("failed").hidden = false;
  $("failed").textContent = `This page cannot be shown here: ${error.message}. It needs WebGL 2 and a browser of 2023 or later.`;
  console.error(error);
});
