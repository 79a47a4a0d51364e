// Times and durations for people: relative in the text, exact in the title, by the clock of the service.
import { h } from "./dom.js";

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const LOCAL = new Intl.DateTimeFormat("en-GB", {
  weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit",
});
const SHORT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const SECONDS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
const TOLERATED_SKEW_MILLIS = 1500;

let skew = 0;

/** The time of the service: with a wrong local clock, events must not look late. */
export function setServerTime(/** @type {string} */ at) {
  const found = Date.parse(at) - Date.now();
  if (Math.abs(found - skew) > TOLERATED_SKEW_MILLIS) skew = Math.abs(found) > TOLERATED_SKEW_MILLIS ? found : 0;
}

export const now = () => Date.now() + skew;

/** Seconds of an ISO 8601 duration such as `PT1M30.5S` or `P1DT2H`; 0 if absent. */
export function seconds(/** @type {string | undefined} */ iso) {
  const found = /^(-?)P(?:(\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?)?$/.exec(iso ?? "");
  if (!found) return 0;
  const [days, hours, minutes, rest] = found.slice(2).map((part) => Number(part ?? 0));
  return (found[1] ? -1 : 1) * (days * 86400 + hours * 3600 + minutes * 60 + rest);
}

/** `PT1M` → `1m`, as the API accepts it; mixed units stay ISO. */
export function brief(/** @type {string} */ iso) {
  const total = seconds(iso);
  const [name, size] = UNITS.find(([, unit]) => total >= unit && total % unit === 0) ?? [];
  return name ? `${total / size}${name[0]}` : iso;
}

/** `0.4` → `400 ms`, `95` → `1 min 35 s`: two units at most. */
export function spell(/** @type {number} */ total) {
  if (total < 0) return `−${spell(-total)}`;
  if (total === 0) return "0 s";
  if (total < 0.9995) return `${Math.max(1, Math.round(total * 1000))} ms`;
  if (total < 10 && total % 1 > 0.049) return `${total.toFixed(1)} s`;
  let left = Math.round(total);
  const parts = [];
  for (const [name, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count) parts.push(`${count} ${name}`);
    else if (parts.length) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** `3 min ago`, `in 2 h 5 min`, `now`. */
export function relative(/** @type {number} */ millis) {
  const away = (millis - now()) / 1000;
  const size = Math.abs(away);
  if (size < 2) return "now";
  const coarse = size < 60 ? Math.round(size) : size < 3600 ? Math.round(size / 60) * 60 : size < 86400 ? Math.round(size / 300) * 300 : Math.round(size / 3600) * 3600;
  return away < 0 ? `${spell(coarse)} ago` : `in ${spell(coarse)}`;
}

/** The exact time, here and in UTC. */
export function exact(/** @type {number | string} */ at) {
  const date = new Date(at);
  return `${LOCAL.format(date)} (${ZONE})\n${date.toISOString().replace("T", " ").replace(/\.\d+Z/, "")} UTC`;
}

export const short = (/** @type {number | string} */ at) => SHORT.format(new Date(at));
export const clock = (/** @type {number | string} */ at) => CLOCK.format(new Date(at));
export const clockSeconds = (/** @type {number | string} */ at) => SECONDS.format(new Date(at));
export const zone = ZONE;

/** A relative time that updates itself; exact on hover. */
export function ago(/** @type {string | undefined} */ at, nothing = "–") {
  if (!at) return h("span.muted", {}, nothing);
  return h("time", { datetime: at, title: exact(at), "data-ago": true }, relative(Date.parse(at)));
}

/** The exact local time, UTC on hover. */
export function exactly(/** @type {string} */ at) {
  return h("time.num", { datetime: at, title: exact(at) }, LOCAL.format(new Date(at)));
}

setInterval(() => {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const text = relative(Date.parse(time.getAttribute("datetime") ?? ""));
    if (time.textContent !== text) time.firstChild ? (time.firstChild.nodeValue = text) : time.append(text);
  }
}, 1000);

/** What an input of type datetime-local holds, as an instant; empty if absent. */
export const fromInput = (/** @type {string} */ value) => (value ? new Date(value).toISOString() : "");

/** The reverse. */
export function toInput(/** @type {string | number | null | undefined} */ at) {
  if (!at) return "";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}
