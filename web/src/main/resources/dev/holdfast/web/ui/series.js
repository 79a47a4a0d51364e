// The points of the charts: loaded once, then updated by the stream.
import { seconds } from "./time.js";

/** Adds or replaces the current point and drops points outside the window. */
export function movedOn(/** @type {any[]} */ series, /** @type {any} */ latest, /** @type {number} */ from) {
  if (!latest) return series;
  const point = ofAnswer(latest);
  const kept = series.filter((one) => one.time !== point.time && one.time >= from);
  const at = kept.findIndex((one) => one.time > point.time);
  if (at < 0) kept.push(point);
  else kept.splice(at, 0, point);
  return kept;
}

/** Fills steps without a point with zeros. */
export function filled(/** @type {any[]} */ series, /** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ step) {
  const known = new Map(series.map((one) => [Math.floor(one.time / step), one]));
  const all = [];
  for (let index = Math.floor(from / step); index * step < to; index++) {
    all.push(known.get(index) ?? { time: index * step, completed: 0, failed: 0, retried: 0, cancelled: 0, lagAvg: 0, lagMax: 0 });
  }
  return all;
}

/** A point of the API with numbers instead of texts. */
export function ofAnswer(/** @type {any} */ point) {
  return {
    time: Date.parse(point.at),
    completed: point.completed ?? 0,
    failed: point.failed ?? 0,
    retried: point.retried ?? 0,
    cancelled: point.cancelled ?? 0,
    lagAvg: seconds(point.lagAvg),
    lagMax: seconds(point.lagMax),
  };
}
