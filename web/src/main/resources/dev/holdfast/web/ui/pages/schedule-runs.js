// The next runs in the zone of the schedule, in local time and in UTC.
import { h } from "../dom.js";
import { ago, zone as here } from "../time.js";

/** The zone of a recurrence; UTC if it has none. */
export const zoneOf = (/** @type {string | undefined} */ recurrence) => / in ([\w/+-]+)/.exec(recurrence ?? "")?.[1] ?? "UTC";

export function runs(/** @type {string[]} */ times, /** @type {string} */ zone) {
  const zones = [...new Set([zone, here, "UTC"])].map((name) => ({ name, format: formatIn(name) })).filter(({ format }) => format);
  return h("div.scroll", {}, h("table.runs", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "When"), zones.map(({ name }) => h("th", { scope: "col" }, name === here && name !== zone ? `Your time (${name})` : name)))),
    h("tbody", {}, times.map((at) => h("tr", { key: at }, h("td", {}, ago(at)), zones.map(({ format }, index) => h("td.num", { class: index ? "muted" : undefined }, format.format(new Date(at)))))))));
}

function formatIn(timeZone) {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  } catch {
    return null; // a zone unknown to this browser
  }
}
