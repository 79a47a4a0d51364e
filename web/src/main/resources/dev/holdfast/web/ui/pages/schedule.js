// One schedule: its next runs, its target and its actions.
import { get, segment } from "../api.js";
import { h, patch } from "../dom.js";
import { bodyText } from "../json.js";
import { loader } from "../load.js";
import { code, empty, eventLink, facts, failed, loading } from "../parts.js";
import { to } from "../route.js";
import { ago, seconds, spell } from "../time.js";
import { retry } from "../words.js";
import { runs, zoneOf } from "./schedule-runs.js";
import { pageActions } from "./schedule-actions.js";

const AGAIN_MILLIS = 10_000;

export function schedule(/** @type {HTMLElement} */ main, /** @type {any} */ route) {
  const name = route.path[1];
  document.title = `${name} · Holdfast`;
  const one = loader((signal) => get(`schedules/${segment(name)}?body=text`, signal), show);

  function show({ data: told, error }) {
    if (!told || error?.status === 404) {
      return patch(main, error?.status === 404
        ? empty("Schedule not found", h("p", {}, h("a", { href: to(["schedules"]) }, "Show all schedules")))
        : error ? failed(error, () => one.load()) : loading());
    }
    const it = told.data;
    patch(main,
      h("nav.crumbs", { key: "crumbs", "aria-label": "Path" }, h("a", { href: to(["schedules"]) }, "Schedules"), h("span", { "aria-hidden": "true" }, "/"), h("span", {}, it.name)),
      h("header.head.event-head", { key: "head" },
        h("div", {}, h("h1", {}, it.name), h("p.sub", {}, it.paused ? h("span.tag.warn", {}, "Paused") : null, h("span", {}, it.description ?? it.recurrence))),
        h("div.actions", {}, pageActions(it, told.etag, () => one.load()))),
      h("div.columns.event", { key: "columns" },
        h("section.panel", { key: "runs" }, h("header", {}, h("h2", {}, "Next runs"), h("span.muted.small", {}, it.paused ? "if it were not paused" : null)),
          it.next?.length ? runs(it.next, zoneOf(it.recurrence)) : h("p.muted.pad", {}, "No further runs.")),
        h("div.stack", {}, target(it), about(it))));
  }

  one.load();
  const timer = setInterval(() => one.load(), AGAIN_MILLIS);
  return {
    close() {
      clearInterval(timer);
      one.close();
    },
  };
}

function target(it) {
  if (!it.target) return null;
  const body = bodyText(it.target);
  return h("section.panel", { key: "target" }, h("header", {}, h("h2", {}, "Target")),
    h("p.url.mono", {}, h("span.method", {}, it.target.method ?? "POST"), it.target.url),
    body === undefined ? null : code(body, "Copy body"));
}

function about(it) {
  return h("section.panel", { key: "about" }, h("header", {}, h("h2", {}, "About")), facts(
    ["Last run", it.lastFireAt ? [ago(it.lastFireAt), it.lastEvent ? [" · ", eventLink(it.lastEvent)] : null] : h("span.muted", {}, "not yet")],
    ["Recurrence", h("span.mono", {}, it.recurrence)],
    ["Misfire policy", it.misfire && String(it.misfire).toLowerCase().replaceAll("_", " ")],
    ["Misfire threshold", it.misfireThreshold && spell(seconds(it.misfireThreshold))],
    ["Overlap", it.overlap && it.overlap.toLowerCase()],
    ["Jitter", seconds(it.jitter) ? spell(seconds(it.jitter)) : null],
    ["Queue", h("a", { href: to(["events"], { queue: it.queue }) }, it.queue)],
    ["Priority", String(it.priority ?? "")],
    ["Ordering key", it.orderingKey],
    ["Tags", it.tags?.length ? it.tags.map((tag) => h("a.tag", { href: to(["events"], { tag }) }, tag)) : null],
    ["Retries", retry(it.retry)],
    ["Timeout", it.timeout && spell(seconds(it.timeout))],
    ["Version", String(it.version)]));
}
