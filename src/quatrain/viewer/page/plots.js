// Curves over time with a mark where the replay stands; a click goes there.

const COLOURS = { x: "#D55E00", y: "#009E73", z: "#0072B2", w: "#777777" };
const OTHERS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8a6d3b", "#777777"];
const MOST_CURVES = 12;

class Plot {
  // curves: {name, unit, components, values: {data, shape}}; t: times; go: what a click does.
  constructor(curves, t, go) {
    this.curves = curves;
    this.t = t;
    this.element = 0;
    this.figure = document.createElement("figure");
    this.caption = document.createElement("figcaption");
    this.canvas = document.createElement("canvas");
    this.figure.append(this.caption, this.canvas);
    const names = curves.components.length ? curves.components : [""];
    this.names = names.slice(0, MOST_CURVES);
    this.title = document.createElement("b");
    this.caption.append(this.title);
    if (curves.components.length) for (const [k, name] of this.names.entries()) {
      const key = document.createElement("span");
      key.textContent = name;
      key.style.color = this.colour(k);
      this.caption.append(key);
    }
    if (names.length > MOST_CURVES) this.caption.append(`and ${names.length - MOST_CURVES} more`);
    const seek = (event) => {
      const box = this.canvas.getBoundingClientRect(), { left, width } = this.frame;
      const part = Math.min(1, Math.max(0, (event.clientX - box.left - left) / width));
      go(t[0] + part * (t[t.length - 1] - t[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => { this.canvas.setPointerCapture(event.pointerId); seek(event); });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons) seek(event); });
  }

  colour(k) { return COLOURS[this.names[k]] ?? OTHERS[k % OTHERS.length]; }

  value(element, record, component) {
    const [, records, components] = this.curves.values.shape;
    return this.curves.values.data[(element * records + record) * components + component];
  }

  get frame() { return { left: 44, top: 6, width: this.canvas.clientWidth - 50, height: this.canvas.clientHeight - 22 }; }

  // The curves are drawn once into a picture of their own; afterwards only the mark moves.
  prepare(element) {
    this.element = element;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = this.canvas.clientWidth * ratio;
    this.canvas.height = this.canvas.clientHeight * ratio;
    this.drawn = document.createElement("canvas");
    this.drawn.width = this.canvas.width;
    this.drawn.height = this.canvas.height;
    const ctx = this.drawn.getContext("2d"), { left, top, width, height } = this.frame;
    const style = getComputedStyle(document.body), ink = style.getPropertyValue("--faint"), line = style.getPropertyValue("--line");
    ctx.scale(ratio, ratio);
    ctx.font = "10px system-ui, sans-serif";
    const count = this.t.length, [elements] = this.curves.values.shape;
    const single = this.names.length === 1 && elements > 1;
    let low = Infinity, high = -Infinity;
    for (let e = single ? 0 : element; e < (single ? elements : element + 1); e++)
      for (let k = 0; k < this.names.length; k++)
        for (let i = 0; i < count; i++) {
          const y = this.value(e, i, k);
          if (Number.isFinite(y)) { low = Math.min(low, y); high = Math.max(high, y); }
        }
    if (!(high >= low)) { low = 0; high = 1; }
    // What is constant but for rounding is a line in the middle.
    const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-6 + 1e-12;
    if (high - low < least) { const half = (low + high) / 2; low = half - least; high = half + least; }
    // Of what changes little, the change is told, and the title says from what.
    const middle = (low + high) / 2, base = high - low < 1e-3 * Math.abs(middle) ? Number(middle.toPrecision(6)) : 0;
    this.title.textContent = `${this.curves.name.replaceAll("_", " ")}${this.curves.unit ? ` [${this.curves.unit}]` : ""}` + (base ? ` − ${base}` : "");
    const pad = (high - low) * 0.06;
    this.low = low - pad;
    this.high = high + pad;
    const X = (t) => left + (t - this.t[0]) / (this.t[count - 1] - this.t[0] || 1) * width;
    const Y = (y) => top + (this.high - y) / (this.high - this.low) * height;
    ctx.strokeStyle = line;
    ctx.fillStyle = ink;
    ctx.lineWidth = 1;
    for (const d of ticks(low - base, high - base, 4)) {
      const y = Y(d + base);
      ctx.beginPath(); ctx.moveTo(left, y); ctx.lineTo(left + width, y); ctx.stroke();
      ctx.textAlign = "right"; ctx.fillText(shown(d), left - 4, y + 3);
    }
    for (const t of ticks(this.t[0], this.t[count - 1], 4)) {
      ctx.textAlign = X(t) > left + width - 12 ? "right" : "center";
      ctx.fillText(shown(t) + " s", Math.min(X(t), left + width), top + height + 13);
    }
    const curve = (e, k, alpha, thick) => {
      ctx.strokeStyle = this.colour(k); ctx.globalAlpha = alpha; ctx.lineWidth = thick;
      ctx.beginPath();
      let pen = false;
      const every = Math.max(1, Math.floor(count / (4 * width)));
      for (let i = 0; i < count; i += every) {
        const y = this.value(e, i, k);
        if (!Number.isFinite(y)) { pen = false; continue; }
        if (pen) ctx.lineTo(X(this.t[i]), Y(y)); else ctx.moveTo(X(this.t[i]), Y(y));
        pen = true;
      }
      ctx.stroke();
    };
    if (single) for (let e = 0; e < elements; e++) if (e !== element) curve(e, 0, 0.3, 1);
    for (let k = 0; k < this.names.length; k++) curve(element, k, 1, 1.4);
    ctx.globalAlpha = 1;
  }

  mark(time) {
    if (!this.drawn) return;
    const ctx = this.canvas.getContext("2d"), ratio = window.devicePixelRatio || 1, { left, top, width, height } = this.frame;
    this.marked = left + (time - this.t[0]) / (this.t[this.t.length - 1] - this.t[0] || 1) * width;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.drawImage(this.drawn, 0, 0);
    ctx.scale(ratio, ratio);
    ctx.strokeStyle = getComputedStyle(document.body).getPropertyValue("--mark");
    ctx.beginPath(); ctx.moveTo(this.marked, top); ctx.lineTo(this.marked, top + height); ctx.stroke();
  }
}

function ticks(low, high, about) {
  const rough = (high - low) / about || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
  const found = [];
  for (let y = Math.ceil(low / step) * step; y <= high + step * 1e-9 && found.length < 12; y += step) found.push(y);
  return found;
}

function shown(x) {
  if (Math.abs(x) < 1e-12) return "0";
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(4)));
}
