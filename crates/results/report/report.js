// What makes the report answer: charts, sorting, filters, the theme. No library; everything works on what is in the
// page. Without it the page still has all tables, the network, the scenario and descriptions of the figures.
"use strict";
(() => {
const LIGHT = { series: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#a09000"],
  ink: "#22252a", quiet: "#5c6169", axis: "#444444", grid: "#e4e4e0", paper: "#ffffff" };
const DARK = { series: ["#5fb0ea", "#ff8f4a", "#35cba0", "#e7a3ca", "#f4bd4f", "#a5dafb", "#f0f0f0", "#f4ea6a"],
  ink: "#e4e5e3", quiet: "#a3a8ae", axis: "#8d9298", grid: "#303338", paper: "#1b1d20" };
const DASHES = ["", "8 3", "2 2.5", "9 3 2 3", "14 4", "9 3 2 3 2 3", "5 2"];
const HATCHES = ["", "M-2 2L2 -2M-2 10L10 -2M6 10L10 6", "M-2 6L2 10M-2 -2L10 10M6 -2L10 2", "M0 4H8", "M4 0V8",
  "M0 0L8 8M0 8L8 0", "M0 4H8M4 0V8", "M2 2h1.6M6 6h1.6"];
const FEW = 30, FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const px = (value) => Math.round(value * 100) / 100;
const short = (value, digits = 4) => {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("-", "−");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
};
const named = (axis) => axis.unit ? `${axis.label} (${axis.unit})` : axis.label;

// ---- Scales ----
function ticks(low, high, count) {
  const span = high - low, raw = span / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return found;
}
function logTicks(low, high) {
  const found = [];
  for (let e = Math.floor(low); e <= Math.ceil(high); e++) found.push(...(high - low > 3 ? [1] : [1, 2, 5]).map((m) => e + Math.log10(m)));
  return found.filter((t) => t >= low - 1e-9 && t <= high + 1e-9);
}
const place = (axis, value) => axis.scale === "log" ? (value > 0 ? Math.log10(value) : null) : value;

/** The extent of what is shown, in the coordinates of the axes. */
function extents(data, hidden, view) {
  const bars = data.kind === "bars";
  let [x0, x1] = [Infinity, -Infinity];
  for (const s of data.series) for (const p of s.p) { const x = place(data.x, p[0]); if (x !== null && p[1] !== null) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); } }
  if (data.x.scale === "category") [x0, x1] = [-0.5, data.x.names.length - 0.5];
  else if (bars) { const d = distance(data); x0 -= d / 2; x1 += d / 2; }
  if (!(x1 > x0)) [x0, x1] = Number.isFinite(x0) ? [x0 - 0.5, x0 + 0.5] : [0, 1];
  const [v0, v1] = view ?? [x0, x1];
  let [y0, y1] = [Infinity, -Infinity];
  data.series.forEach((s, i) => {
    if (hidden.has(i)) return;
    s.p.forEach((p, j) => {
      const x = place(data.x, p[0]);
      const near = x >= v0 && x <= v1 || [s.p[j - 1], s.p[j + 1]].some((q) => q && place(data.x, q[0]) >= v0 && place(data.x, q[0]) <= v1);
      if (x === null || !near) return;
      for (const y of [p[1], p[2], p[3]]) { const at = y === null || y === undefined ? null : place(data.y, y); if (at !== null && Number.isFinite(at)) { y0 = Math.min(y0, at); y1 = Math.max(y1, at); } }
    });
  });
  if (!Number.isFinite(y0)) [y0, y1] = [0, 1];
  if (data.kind === "cdf") [y0, y1] = [0, 1];
  else if (data.y.scale !== "log") {
    if (bars || y0 >= 0 && y0 < 0.65 * y1) y0 = Math.min(0, y0);
    if (bars) y1 = Math.max(0, y1);
    if (y1 === y0) { y1 += Math.abs(y1) * 0.1 || 1; if (y0 !== 0) y0 -= Math.abs(y0) * 0.1; }
    const room = (y1 - y0) * 0.04;
    if (y0 !== 0) y0 -= room;
    if (y1 !== 0) y1 += room;
  } else if (y1 === y0) { y0 -= 0.5; y1 += 0.5; }
  return { full: [x0, x1], x: [v0, v1], y: [y0, y1] };
}
function distance(data) {
  const xs = [...new Set(data.series.flatMap((s) => s.p.map((p) => p[0])))].sort((a, b) => a - b);
  return data.x.scale === "category" ? 1 : Math.min(...xs.slice(1).map((x, i) => x - xs[i]), Infinity) === Infinity ? 1 : Math.min(...xs.slice(1).map((x, i) => x - xs[i]));
}

function marker(index, x, y, r) {
  const poly = (k, corners) => "M" + corners.map(([dx, dy]) => `${px(x + k * r * dx)} ${px(y + k * r * dy)}`).join("L") + "z";
  switch ((index + Math.floor(index / 8)) % 8) {
    case 0: return `M${px(x - r)} ${px(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case 1: return poly(0.9, [[-1, -1], [1, -1], [1, 1], [-1, 1]]);
    case 2: return poly(1.15, [[0, -1], [0.95, 0.75], [-0.95, 0.75]]);
    case 3: return poly(1.25, [[0, -1], [0.8, 0], [0, 1], [-0.8, 0]]);
    case 4: return poly(1.15, [[0, 1], [0.95, -0.75], [-0.95, -0.75]]);
    case 5: return poly(1.1, [[0, -1], [0.95, -0.31], [0.59, 0.81], [-0.59, 0.81], [-0.95, -0.31]]);
    case 6: return poly(1.2, [[0, -1], [0.32, -0.32], [1, 0], [0.32, 0.32], [0, 1], [-0.32, 0.32], [-1, 0], [-0.32, -0.32]]);
    default: return poly(1.1, [[-1, -0.5], [1, -0.5], [1, 0.5], [-1, 0.5]]);
  }
}
const look = (palette, index) => ({ color: palette.series[index % 8], dash: DASHES[index % 7], hollow: index % 2 === 1 });

/** The whole picture as SVG text, and where things are in it. Used on the screen and for files. */
function draw(data, { width, height, view, hidden, palette, id, title }) {
  const e = extents(data, hidden, view);
  const size = 12, head = title ? 30 : 0;
  const yTicks = data.y.scale === "log" ? logTicks(...e.y) : ticks(...e.y, height / 60);
  const yText = (t) => short(data.y.scale === "log" ? 10 ** t : Math.abs(t) < 1e-12 ? 0 : t);
  const left = 30 + Math.max(...yTicks.map((t) => yText(t).length), 1) * 7;
  const legend = title ? legendRows(data, hidden, width) : [];
  const category = data.x.scale === "category";
  const longest = category ? Math.max(...data.x.names.map((n) => n.length)) : 0;
  const slot = (width - left - 14) / Math.max(1, e.x[1] - e.x[0]);
  const tilt = category && longest * 6.6 > slot - 6;
  const foot = (tilt ? Math.min(90, longest * 4.6 + 14) : 18) + 24 + legend.length * 18;
  const box = { l: left, t: 10 + head, r: width - 14, b: height - foot };
  const X = (v) => box.l + (v - e.x[0]) / (e.x[1] - e.x[0]) * (box.r - box.l);
  const Y = (v) => box.b - (v - e.y[0]) / (e.y[1] - e.y[0]) * (box.b - box.t);
  const out = [];
  const text = (x, y, words, more = "") => out.push(`<text x="${px(x)}" y="${px(y)}" ${more}>${escaped(words)}</text>`);
  out.push(`<g fill="${palette.quiet}" font-size="${size}">`);
  for (const t of yTicks) {
    out.push(`<path d="M${box.l} ${px(Y(t))}H${box.r}" stroke="${palette.grid}"/>`);
    text(box.l - 7, Y(t) + 4, yText(t), 'text-anchor="end"');
  }
  if (category) {
    const every = Math.max(1, Math.ceil((tilt ? 15 : 1) / slot));
    data.x.names.forEach((name, i) => {
      if (i < e.x[0] || i > e.x[1] || i % every) return;
      const words = name.length > 22 ? name.slice(0, 10) + "…" + name.slice(-10) : name;
      if (tilt) text(X(i) + 3, box.b + 14, words, `text-anchor="end" transform="rotate(-35 ${px(X(i) + 3)} ${px(box.b + 14)})"`);
      else text(X(i), box.b + 18, words, 'text-anchor="middle"');
    });
  } else {
    const all = data.x.scale === "log" ? logTicks(...e.x) : ticks(...e.x, (box.r - box.l) / 90);
    for (const t of all) {
      if (data.kind !== "bars") out.push(`<path d="M${px(X(t))} ${box.t}V${box.b}" stroke="${palette.grid}"/>`);
      text(X(t), box.b + 18, short(data.x.scale === "log" ? 10 ** t : Math.abs(t) < 1e-12 ? 0 : t), 'text-anchor="middle"');
    }
  }
  out.push("</g>");
  const middle = (box.t + box.b) / 2;
  out.push(`<g fill="${palette.ink}" font-size="13" text-anchor="middle">`);
  text((box.l + box.r) / 2, height - legend.length * 18 - 7, named(data.x));
  text(13, middle, named(data.y), `transform="rotate(-90 13 ${px(middle)})"`);
  if (title) text(width / 2, 22, title, 'font-size="16" font-weight="600"');
  out.push("</g>");
  out.push(`<clipPath id="${id}-clip"><rect x="${box.l}" y="${box.t - 6}" width="${px(box.r - box.l)}" height="${px(box.b - box.t + 12)}"/></clipPath><g clip-path="url(#${id}-clip)">`);
  if (data.kind === "bars") out.push(bars(data, hidden, palette, id, X, Y, e)); else out.push(lines(data, hidden, palette, X, Y, e, box));
  out.push(`</g><path d="M${box.l} ${box.t}V${box.b}H${box.r}" fill="none" stroke="${palette.axis}"/>`);
  if (e.y[0] < 0 && e.y[1] > 0) out.push(`<path d="M${box.l} ${px(Y(0))}H${box.r}" stroke="${palette.axis}"/>`);
  legend.forEach((row, i) => row.forEach(({ x, index, label }) => {
    const y = height - (legend.length - 1 - i) * 18 - 24 + 14;
    out.push(`<g transform="translate(${px(x)} ${y})">${sample(data, palette, index, id)}</g><text x="${px(x + 38)}" y="${y + 9}" font-size="12" fill="${palette.ink}">${escaped(label)}</text>`);
  }));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${escaped(FONT)}">${title ? `<rect width="${width}" height="${height}" fill="${palette.paper}"/>` : ""}${out.join("")}<g class="cursor"></g></svg>`;
  return { svg, box, X, Y, extent: e };
}
function legendRows(data, hidden, width) {
  const rows = [[]];
  let x = 40;
  data.series.forEach((s, index) => {
    if (!s.label || hidden.has(index)) return;
    const wide = 56 + s.label.length * 6.8;
    if (x + wide > width && rows.at(-1).length) { rows.push([]); x = 40; }
    rows.at(-1).push({ x, index, label: s.label });
    x += wide;
  });
  return rows[0].length ? rows : [];
}
function sample(data, palette, index, id) {
  const { color, dash, hollow } = look(palette, index);
  if (data.kind === "bars") return `<rect width="26" height="12" y="0" fill="${hatch(id, index, palette)[0]}" stroke="${color}"/>`;
  const dots = data.series.some((s) => s.p.length <= FEW);
  return `<path d="M0 6H32" stroke="${color}" stroke-width="2" ${dash ? `stroke-dasharray="${dash}"` : ""} fill="none"/>` +
    (dots ? `<path d="${marker(index, 16, 6, 3.6)}" fill="${hollow ? palette.paper : color}" stroke="${color}" stroke-width="1.4"/>` : "");
}
function hatch(id, index, palette) {
  const { color } = look(palette, index), name = `${id}-h${index}`, strokes = HATCHES[index % 8];
  if (!strokes) return [color, ""];
  return [`url(#${name})`, `<pattern id="${name}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="${color}"/><path d="${strokes}" stroke="${palette.paper}" stroke-width="1.3"/></pattern>`];
}
function bars(data, hidden, palette, id, X, Y, e) {
  const shown = data.series.map((_, i) => i).filter((i) => !hidden.has(i));
  const xs = data.series.flatMap((s) => s.p.map((p) => p[0]));
  const grouped = new Set(xs).size < xs.length, abreast = grouped ? shown.length : 1;
  const width = 0.78 * distance(data) * (X(1) - X(0)) / abreast;
  const foot = Y(Math.max(e.y[0], Math.min(e.y[1], data.y.scale === "log" ? e.y[0] : 0)));
  let out = "";
  shown.forEach((index, turn) => {
    const { color } = look(palette, index), [fill, pattern] = hatch(id, index, palette);
    out += pattern;
    for (const p of data.series[index].p) {
      if (p[1] === null) continue;
      const x = X(place(data.x, p[0])) + (grouped ? turn - (abreast - 1) / 2 : 0) * width - width / 2, top = Y(place(data.y, p[1]));
      out += `<rect x="${px(x)}" y="${px(Math.min(top, foot))}" width="${px(Math.max(1, abreast > 1 ? width - 1.5 : width))}" height="${px(Math.abs(foot - top))}" fill="${fill}" stroke="${color}"/>`;
      if (p.length > 2) out += whisker(x + width / 2 - (abreast > 1 ? 0.75 : 0), Y(place(data.y, p[2])), Y(place(data.y, p[3])), palette.ink);
    }
  });
  return out;
}
const whisker = (x, low, high, color) => `<path d="M${px(x - 4)} ${px(low)}h8M${px(x)} ${px(low)}V${px(high)}M${px(x - 4)} ${px(high)}h8" stroke="${color}" stroke-width="1.3" fill="none"/>`;
function runs(points) {
  const found = [[]];
  for (const p of points) if (p[1] === null) found.push([]); else found.at(-1).push(p);
  return found.filter((run) => run.length);
}
function lines(data, hidden, palette, X, Y, e, box) {
  const dense = data.series.some((s) => s.p.length >= 300) && data.kind !== "cdf";
  let [bands, strokes, dots] = ["", "", ""];
  data.series.forEach((s, index) => {
    if (hidden.has(index)) return;
    const { color, dash, hollow } = look(palette, index), few = s.p.length <= FEW;
    const at = (p) => [X(place(data.x, p[0])), Y(place(data.y, p[1]))];
    let path = "";
    for (const run of runs(s.p)) {
      if (run.some((p) => p.length > 2)) {
        const ends = run.filter((p) => p.length > 2);
        if (few) strokes += ends.map((p) => whisker(at(p)[0], Y(place(data.y, p[2])), Y(place(data.y, p[3])), color)).join("");
        else bands += `<path d="M${ends.map((p) => `${px(at(p)[0])} ${px(Y(place(data.y, p[3])))}`).join("L")}L${ends.reverse().map((p) => `${px(at(p)[0])} ${px(Y(place(data.y, p[2])))}`).join("L")}z" fill="${color}" opacity=".18"/>`;
      }
      if (data.kind === "scatter") continue;
      const corners = run.map(at);
      if (data.kind === "cdf") { corners.unshift([box.l, Y(0)], [corners[0][0], Y(0)]); corners.push([box.r, corners.at(-1)[1]]); }
      const stepped = data.kind === "step" || data.kind === "cdf";
      path += corners.map(([x, y], i) => i === 0 ? `M${px(x)} ${px(y)}` : stepped ? `H${px(x)}V${px(y)}` : `L${px(x)} ${px(y)}`).join("");
    }
    strokes += `<path d="${path}" fill="none" stroke="${color}" stroke-width="${dense ? 1.3 : 2}" stroke-linejoin="round" ${dash && !dense ? `stroke-dasharray="${dash}"` : ""}/>`;
    if (few && data.kind !== "cdf") dots += `<path d="${s.p.filter((p) => p[1] !== null).map((p) => marker(index, ...at(p), 4)).join("")}" fill="${hollow ? palette.paper : color}" stroke="${color}" stroke-width="1.4"/>`;
  });
  return bands + strokes + dots;
}

// ---- A chart on the page ----
const printing = window.matchMedia("print"), darkness = window.matchMedia("(prefers-color-scheme: dark)");
const isDark = () => !printing.matches && (document.documentElement.dataset.theme ?? (darkness.matches ? "dark" : "light")) === "dark";
const charts = [];

class Chart {
  constructor(root, data) {
    Object.assign(this, { root, data, hidden: new Set(), view: null, index: null });
    this.plot = $(".plot", root);
    this.live = $(".live", root);
    this.xs = [...new Set(data.series.flatMap((s) => s.p.filter((p) => p[1] !== null).map((p) => p[0])))].sort((a, b) => a - b);
    this.tip = make("div", { class: "tip", hidden: "" });
    this.canvas = make("div");
    this.plot.append(this.canvas, this.tip);
    this.legend();
    this.listen();
    this.redraw();
  }
  legend() {
    this.keys = $(".legend", this.root);
    this.data.series.forEach((s, i) => {
      if (!s.label) return;
      const button = make("button", { type: "button", "aria-pressed": "true", title: "Show or hide" });
      button.append(make("span", { class: "swatch", "aria-hidden": "true" }), s.label);
      button.addEventListener("click", () => {
        this.hidden.has(i) ? this.hidden.delete(i) : this.hidden.add(i);
        button.setAttribute("aria-pressed", String(!this.hidden.has(i)));
        this.redraw();
      });
      this.keys.append(make("li", {}, button));
    });
  }
  palette() { return isDark() ? DARK : LIGHT; }
  redraw() {
    const width = Math.max(280, Math.round(this.plot.clientWidth)), height = Math.round(Math.min(430, Math.max(260, width * 0.52)));
    const id = this.root.id;
    this.picture = draw(this.data, { width, height, view: this.view, hidden: this.hidden, palette: this.palette(), id });
    this.canvas.innerHTML = this.picture.svg;
    $("svg", this.canvas).setAttribute("aria-hidden", "true");
    $$(".swatch", this.keys).forEach((swatch) => {
      const i = this.data.series.findIndex((s) => s.label === swatch.nextSibling.data);
      swatch.innerHTML = `<svg viewBox="0 0 32 12">${sample(this.data, this.palette(), i, id)}</svg>`;
    });
    $$("[data-do=reset], [data-do=out]", this.root).forEach((button) => { button.disabled = this.view === null; });
    this.point(this.index, false);
  }
  /** Points at the data nearest to x number `index`, or at nothing. */
  point(index, speak) {
    this.index = index;
    const cursor = $(".cursor", this.canvas), { X, Y, box, extent } = this.picture;
    cursor.innerHTML = "";
    this.tip.hidden = index === null;
    if (index === null) return;
    const value = this.xs[index], x = X(place(this.data.x, value));
    if (x < box.l - 1 || x > box.r + 1) { this.tip.hidden = true; return; }
    const rows = [];
    this.data.series.forEach((s, i) => {
      if (this.hidden.has(i)) return;
      const p = nearest(s.p, value, this.data, extent);
      if (p) rows.push({ i, p, label: s.label });
    });
    const palette = this.palette(), name = this.nameOf(value);
    cursor.innerHTML = `<path d="M${px(x)} ${box.t}V${box.b}" stroke="${palette.quiet}" stroke-dasharray="3 3"/>` + (this.data.kind === "bars" ? "" :
      rows.map(({ i, p }) => `<circle cx="${px(X(place(this.data.x, p[0])))}" cy="${px(Y(place(this.data.y, p[1])))}" r="4.5" fill="${palette.series[i % 8]}" stroke="${palette.paper}" stroke-width="1.5"/>`).join(""));
    const unit = this.data.y.unit ? ` ${this.data.y.unit}` : "";
    const say = ({ p }) => `${short(p[1])}${p.length > 2 ? ` ± ${short((p[3] - p[2]) / 2, 2)}` : ""}${unit}`;
    this.tip.replaceChildren(make("b", {}, name), ...rows.slice(0, 24).map((row) => {
      const swatch = make("i");
      swatch.style.background = palette.series[row.i % 8];
      return make("div", {}, swatch, row.label ? `${row.label}: ` : "", say(row));
    }));
    const wide = this.tip.offsetWidth, room = this.plot.clientWidth;
    this.tip.style.left = `${Math.max(0, x + 14 + wide > room ? x - 14 - wide : x + 14)}px`;
    this.tip.style.top = `${box.t + 6}px`;
    if (speak) this.live.textContent = `${name}. ` + rows.map((row) => (row.label ? `${row.label}: ` : "") + say(row)).join("; ");
  }
  nameOf(value) {
    const { x } = this.data;
    return x.scale === "category" ? x.names[value] ?? "" : `${x.label || "x"}: ${short(value, 6)}${x.unit ? ` ${x.unit}` : ""}`;
  }
  zoom(from, to) {
    const [full0, full1] = this.picture.extent.full;
    const [low, high] = [Math.max(full0, Math.min(from, to)), Math.min(full1, Math.max(from, to))];
    if (high - low < (full1 - full0) * 1e-4) return;
    this.view = low <= full0 && high >= full1 ? null : [low, high];
    this.redraw();
    this.live.textContent = this.view ? `Zoomed to ${short(low)} to ${short(high)}` : "The whole figure";
  }
  scale(factor) {
    const [low, high] = this.picture.extent.x, { xs, index } = this;
    const middle = index === null ? (low + high) / 2 : Math.min(high, Math.max(low, place(this.data.x, xs[index])));
    this.zoom(middle - (middle - low) * factor, middle + (high - middle) * factor);
  }
  pan(share) {
    const [low, high] = this.picture.extent.x, [f0, f1] = this.picture.extent.full;
    const by = Math.max(f0 - low, Math.min(f1 - high, (high - low) * share));
    this.zoom(low + by, high + by);
  }
  act(what) {
    const file = this.root.dataset.file;
    const all = () => { this.view = null; this.redraw(); this.live.textContent = "The whole figure"; };
    ({ in: () => this.scale(0.5), out: () => this.scale(2), reset: all,
      svg: () => save(`${file}.svg`, "image/svg+xml", this.picturePlain()),
      png: () => savePng(`${file}.png`, this.picturePlain()),
      csv: () => save(`${file}.csv`, "text/csv", csv(this.data)) })[what]();
  }
  picturePlain() {
    return draw(this.data, { width: 900, height: 560, view: this.view, hidden: this.hidden, palette: LIGHT, id: this.root.id, title: this.data.title || " " }).svg;
  }
  value(event) {
    const { box, extent } = this.picture, frame = $("svg", this.canvas).getBoundingClientRect();
    const x = (event.clientX - frame.left) / frame.width * (box.r + 14);
    return extent.x[0] + (Math.min(box.r, Math.max(box.l, x)) - box.l) / (box.r - box.l) * (extent.x[1] - extent.x[0]);
  }
  closest(position) {
    let best = null;
    this.xs.forEach((x, i) => { const d = Math.abs(place(this.data.x, x) - position); if (best === null || d < best[0]) best = [d, i]; });
    return best?.[1] ?? null;
  }
  listen() {
    let start = null;
    const { plot } = this;
    plot.addEventListener("pointerdown", (event) => { if (event.button === 0) start = { at: this.value(event), x: event.clientX }; });
    plot.addEventListener("pointermove", (event) => {
      const now = this.value(event);
      if (start && Math.abs(event.clientX - start.x) > 6) {
        const { X, box } = this.picture, [a, b] = [X(start.at), X(now)].sort((p, q) => p - q);
        this.tip.hidden = true;
        $(".cursor", this.canvas).innerHTML = `<rect x="${px(a)}" y="${box.t}" width="${px(b - a)}" height="${px(box.b - box.t)}" fill="${this.palette().series[0]}" opacity=".2"/>`;
      } else this.point(this.closest(now), false);
    });
    plot.addEventListener("pointerleave", () => { start = null; this.point(null, false); });
    plot.addEventListener("pointerup", (event) => {
      if (start && Math.abs(event.clientX - start.x) > 6) this.zoom(start.at, this.value(event));
      start = null;
    });
    plot.addEventListener("dblclick", () => this.act("reset"));
    plot.addEventListener("blur", () => this.point(null, false));
    plot.addEventListener("keydown", (event) => {
      const last = this.xs.length - 1, now = this.index;
      const move = (to) => this.point(Math.max(0, Math.min(last, to)), true);
      const big = Math.max(1, Math.round(last / 20));
      const keys = { ArrowRight: () => event.shiftKey ? this.pan(0.2) : move(now === null ? 0 : now + 1), ArrowLeft: () => event.shiftKey ? this.pan(-0.2) : move(now === null ? last : now - 1),
        PageDown: () => move((now ?? 0) + big), PageUp: () => move((now ?? last) - big), Home: () => move(0), End: () => move(last),
        "+": () => this.scale(0.5), "-": () => this.scale(2), 0: () => this.act("reset"), Escape: () => this.view ? this.act("reset") : this.point(null, false) };
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || last < 0) return;
      event.preventDefault();
      keys[event.key]();
    });
    $$("[data-do]", this.root).forEach((button) => button.addEventListener("click", () => this.act(button.dataset.do)));
    const details = $("details.data", this.root);
    details?.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.append(dataTable(this.data)); });
  }
}
function nearest(points, value, data, extent) {
  let best = null;
  for (const p of points) {
    if (p[1] === null) continue;
    const d = Math.abs(p[0] - value);
    if (!best || d < best[0]) best = [d, p];
  }
  // Between names there is nothing; on a line what is far off says nothing about this place.
  const reach = data.x.scale === "category" || data.kind === "bars" ? 1e-9 : (extent.x[1] - extent.x[0]) * 0.02;
  return best && (best[0] <= reach || data.x.scale === "log") ? best[1] : null;
}

// ---- Files ----
function download(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const save = (name, type, text) => download(name, new Blob([text], { type }));
function savePng(name, svg) {
  const picture = new Image();
  picture.onload = () => {
    const canvas = make("canvas", { width: picture.width * 2, height: picture.height * 2 });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(name, blob), "image/png");
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}
/** One row for each x, one column for each series, and its interval where there is one. */
function rowsOf(data) {
  const rows = new Map();
  data.series.forEach((s, i) => s.p.forEach((p) => { if (!rows.has(p[0])) rows.set(p[0], []); rows.get(p[0])[i] = p; }));
  return [...rows].sort((a, b) => a[0] - b[0]);
}
const xOf = (data, x) => data.x.scale === "category" ? data.x.names[x] : x;
function csv(data) {
  const quoted = (cell) => /[",\n\r]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell;
  const wide = data.series.map((s) => s.p.some((p) => p.length > 2));
  const label = (s) => s.label || data.y.label || "value";
  const head = [named(data.x) || "x", ...data.series.flatMap((s, i) => wide[i] ? [label(s), `${label(s)} low`, `${label(s)} high`] : [label(s)])];
  const body = rowsOf(data).map(([x, cells]) => [xOf(data, x), ...data.series.flatMap((_, i) => [0, 1, 2].slice(0, wide[i] ? 3 : 1).map((k) => cells[i]?.[k + 1] ?? ""))]);
  return [head, ...body].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}
const MOST_ROWS = 500;
function dataTable(data) {
  const rows = rowsOf(data), table = make("table", { class: "sortable" });
  const note = rows.length > MOST_ROWS ? ` The first ${MOST_ROWS} of ${rows.length} rows; the CSV file has all.` : "";
  const y = named(data.y);
  table.append(make("caption", {}, `${data.title || "Data"}: ${y}.${note}`));
  const head = make("tr", {}, make("th", { scope: "col", class: data.x.scale === "category" ? "" : "n" }, named(data.x) || "x"));
  data.series.forEach((s) => head.append(make("th", { scope: "col", class: "n" }, s.label || y)));
  const body = make("tbody");
  for (const [x, cells] of rows.slice(0, MOST_ROWS)) {
    const words = xOf(data, x), row = make("tr", {}, make("th", { scope: "row", "data-v": x, class: data.x.scale === "category" ? "" : "n" }, typeof words === "number" ? short(words, 6) : words));
    data.series.forEach((_, i) => {
      const p = cells[i];
      const cell = make("td", { class: "n", "data-v": p?.[1] ?? "" }, short(p?.[1] ?? null));
      if (p?.length > 2) cell.append(make("span", { class: "ci" }, ` ± ${short((p[3] - p[2]) / 2, 2)}`));
      row.append(cell);
    });
    body.append(row);
  }
  table.append(make("thead", {}, head), body);
  sortable(table);
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Data of ${data.title || "the figure"}` }, table);
}

// ---- Tables ----
function sortable(table) {
  const heads = $$("thead th", table);
  heads.forEach((head, column) => {
    const button = make("button", { type: "button" });
    button.append(...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0], value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
      const rows = [...body.rows].map((row, i) => ({ row, i, v: value(row) }));
      const number = rows.every(({ v }) => v === "" || !Number.isNaN(Number(v)));
      const compare = (a, b) => {
        if (a.v === "" || b.v === "") return a.v === b.v ? a.i - b.i : a.v === "" ? 1 : -1;
        const order = number ? Number(a.v) - Number(b.v) : a.v.localeCompare(b.v, "en", { numeric: true });
        return (descending ? -order : order) || a.i - b.i;
      };
      body.append(...rows.sort(compare).map(({ row }) => row));
    });
  });
}

// ---- Claims ----
function filters() {
  const form = $("#claim-filters"), table = $("#claim-table");
  if (!form || !table) return;
  form.hidden = false;
  const apply = () => {
    const paper = $("select", form)?.value ?? "", verdicts = $$("input:checked", form).map((box) => box.value);
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row) => { row.hidden = Boolean(paper && row.dataset.paper !== paper) || !verdicts.includes(row.dataset.verdict); });
    // What stands beside the figures follows, and so do the sections of other papers.
    $$(".beside tbody tr").forEach((row) => { row.hidden = !verdicts.includes(row.dataset.verdict); });
    $$("section.paper").forEach((section) => { section.hidden = Boolean(paper && section.dataset.paper !== paper); });
    $("output", form).textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
  };
  form.addEventListener("input", apply);
  apply();
}

// ---- Network ----
function networks() {
  $$(".network").forEach((box) => {
    const readout = box.parentElement.querySelector(".readout");
    $$("[data-about]", box).forEach((part) => part.addEventListener("pointerenter", () => { readout.textContent = part.dataset.about; }));
  });
}

// ---- Theme ----
function theme() {
  const button = $(".theme"), root = document.documentElement;
  const kept = (value) => { try { return value === undefined ? localStorage.getItem("weir-theme") : localStorage.setItem("weir-theme", value); } catch { return null; } };
  if (["light", "dark"].includes(kept())) root.dataset.theme = kept();
  const show = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", isDark() ? "Change to light colours" : "Change to dark colours"); charts.forEach((chart) => chart.redraw()); };
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; kept(root.dataset.theme); show(); });
  darkness.addEventListener("change", show);
  show();
}
function paper() {
  let opened = [];
  const change = (on) => {
    if (on) { opened = $$("details.printed:not([open])"); opened.forEach((d) => { d.open = true; }); } else { opened.forEach((d) => { d.open = false; }); opened = []; }
    charts.forEach((chart) => chart.redraw());
  };
  printing.addEventListener("change", () => change(printing.matches));
}

$$("table.sortable").forEach(sortable);
const data = JSON.parse($("#figures-data").textContent);
$$(".chart").forEach((root) => {
  const chart = new Chart(root, data[root.dataset.chart]);
  charts.push(chart);
  let last = chart.plot.clientWidth;
  new ResizeObserver(() => { if (chart.plot.clientWidth !== last) { last = chart.plot.clientWidth; chart.redraw(); } }).observe(chart.plot);
});
filters();
networks();
theme();
paper();
document.documentElement.classList.add("ready");
})();
