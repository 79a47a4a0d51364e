// A chart over time: stacked bars or lines, drawn as SVG in the size it has on the screen.
import { h, patch, s } from "./dom.js";
import { ticks } from "./scale.js";
import { clock, short } from "./time.js";

const HEIGHT = 168;
const EDGE = { top: 10, right: 4, bottom: 22, left: 50 };
const DAY_MILLIS = 86_400_000;

/**
 * @typedef {{name: string, title: string, kind: "bar" | "area" | "line", of: (point: any) => number}} Series
 * @param {{title: string, series: Series[], format: (value: number) => string, least: number}} options
 *   `least`: the smallest top of the scale, so that small values look small
 */
export function timeChart({ title, series, format, least }) {
  const note = h("span", {});
  const svg = s("svg", { role: "img", height: HEIGHT });
  const tip = h("div.tip", { hidden: true });
  const box = h("div.plot", { keep: true, onpointermove: point, onpointerleave: () => hover(null) }, svg, tip);
  const element = h("figure.chart", { keep: true },
    h("figcaption", {}, h("h2", {}, title, note), h("ul.legend", {}, series.map((one) => h("li", { "data-series": one.name }, h("i", {}), one.title)))), box);

  /** @type {{points: any[], from: number, to: number, step: number}} */
  let view = { points: [], from: 0, to: 1, step: 1 };
  let width = 0;
  /** @type {number | null} */
  let hovered = null;

  new ResizeObserver(([entry]) => {
    width = Math.floor(entry.contentRect.width);
    render();
  }).observe(box);

  const x = (/** @type {number} */ at) => EDGE.left + ((at - view.from) / (view.to - view.from)) * (width - EDGE.left - EDGE.right);

  function render() {
    if (width < 80) return;
    const floor = HEIGHT - EDGE.bottom;
    const bars = series.filter((one) => one.kind === "bar");
    const highest = Math.max(least, ...view.points.map((p) =>
      Math.max(bars.reduce((sum, one) => sum + one.of(p), 0), ...series.filter((one) => one.kind !== "bar").map((one) => one.of(p)))));
    const marks = ticks(highest);
    const top = marks[marks.length - 1];
    const y = (/** @type {number} */ value) => floor - (value / top) * (floor - EDGE.top);
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("aria-label", summary());
    patch(svg,
      marks.map((mark) => [
        s("line.grid", { x1: EDGE.left, x2: width - EDGE.right, y1: y(mark), y2: y(mark), class: mark === 0 ? "zero" : undefined }),
        s("text.y", { x: 0, y: y(mark) + 4 }, format(mark)),
      ]),
      hours(),
      hovered === null ? null : s("line.cursor", { x1: middle(view.points[hovered]), x2: middle(view.points[hovered]), y1: EDGE.top, y2: floor }),
      drawnBars(bars, y),
      series.filter((one) => one.kind !== "bar").map((one) => drawnLine(one, y, floor)));
  }

  const middle = (/** @type {any} */ p) => x(p.time + view.step / 2);

  function drawnBars(bars, y) {
    const room = x(view.from + view.step) - x(view.from);
    const wide = Math.max(1, room - Math.min(3, room * 0.25));
    return view.points.map((p, index) => {
      let below = 0;
      return bars.map((one) => {
        const value = one.of(p);
        if (!value) return null;
        const upper = y(below + value);
        const height = Math.max(1.5, y(below) - upper);
        below += value;
        return s("rect.bar", { "data-series": one.name, x: (x(p.time) + (room - wide) / 2).toFixed(1), y: upper.toFixed(1), width: wide.toFixed(1), height: height.toFixed(1), rx: Math.min(1.5, wide / 3), class: index === hovered ? "on" : undefined });
      });
    });
  }

  function drawnLine(one, y, floor) {
    if (!view.points.length) return null;
    const way = view.points.map((p, index) => `${index ? "L" : "M"}${middle(p).toFixed(1)} ${y(one.of(p)).toFixed(1)}`).join("");
    const [first, last] = [view.points[0], view.points[view.points.length - 1]];
    return [
      one.kind === "area" ? s("path.area", { "data-series": one.name, d: `${way}L${middle(last).toFixed(1)} ${floor}L${middle(first).toFixed(1)} ${floor}Z` }) : null,
      s("path.line", { "data-series": one.name, d: way }),
      s("circle.now", { "data-series": one.name, cx: middle(last).toFixed(1), cy: y(one.of(last)).toFixed(1), r: 2.5 }),
    ];
  }

  function hours() {
    const span = view.to - view.from;
    const count = Math.max(2, Math.min(8, Math.floor(width / 84)));
    const steps = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * 60_000);
    const step = steps.find((one) => span / one <= count) ?? DAY_MILLIS;
    const zone = new Date(view.to).getTimezoneOffset() * 60_000;
    const made = [];
    for (let at = Math.ceil((view.from - zone) / step) * step + zone; at <= view.to; at += step) {
      if (x(at) > EDGE.left + 12 && x(at) < width - 18) made.push(s("text.x", { x: x(at), y: HEIGHT - 5 }, span > DAY_MILLIS ? short(at) : clock(at)));
    }
    return made;
  }

  function summary() {
    const sums = series.map((one) => `${one.title}: at most ${format(Math.max(0, ...view.points.map(one.of)))}`);
    return `${title}, ${clock(view.from)} to ${clock(view.to)}. ${sums.join(", ")}.`;
  }

  function point(event) {
    const left = event.clientX - box.getBoundingClientRect().left;
    const distances = view.points.map((p) => Math.abs(middle(p) - left));
    hover(distances.length ? distances.indexOf(Math.min(...distances)) : null);
  }

  function hover(/** @type {number | null} */ index) {
    hovered = index;
    tip.hidden = index === null;
    if (index !== null) {
      const p = view.points[index];
      const at = middle(p);
      patch(tip, h("p", {}, `${clock(p.time)}–${clock(p.time + view.step)}`),
        [...series].reverse().map((one) => h("p", { "data-series": one.name }, h("i", {}), `${one.title} `, h("b", {}, format(one.of(p))))));
      tip.style.left = `${at}px`;
      tip.dataset.side = at > width / 2 ? "left" : "right";
    }
    render();
  }

  return {
    element,
    /** @param {any[]} points each with its start as `time`; `about`: the text beside the title */
    draw(points, from, to, step, about) {
      patch(note, about);
      if (hovered !== null && hovered >= points.length) hover(null);
      view = { points, from, to, step };
      render();
    },
  };
}
