// Round numbers for the edge of a chart.

/** From zero to a round number not below the highest, in three or four steps of 1, 2, 2.5 or 5. */
export function ticks(/** @type {number} */ highest) {
  const rough = highest / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999) ?? 10 * power;
  const count = Math.ceil((highest / step) * 0.999);
  return Array.from({ length: Math.max(1, count) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** `1200` → `1.2k`. */
export function compact(/** @type {number} */ value) {
  if (value >= 1e6) return `${trim(value / 1e6)}M`;
  if (value >= 1e3) return `${trim(value / 1e3)}k`;
  return trim(value);
}

const trim = (/** @type {number} */ value) => String(Number(value.toFixed(value < 10 ? 1 : 0)));
