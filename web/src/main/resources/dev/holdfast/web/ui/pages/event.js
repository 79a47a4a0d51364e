// One event: its history, its target and its actions.
import { get, segment } from "../api.js";
import { h, patch } from "../dom.js";
import { bodyText, pretty } from "../json.js";
import { live, subscribe } from "../live.js";
import { loader } from "../load.js";
import { code, empty, eventLink, facts, failed, loading, status } from "../parts.js";
import { to } from "../route.js";
import { ago, exactly, now, seconds, spell } from "../time.js";
import { retry } from "../words.js";
import { actions } from "./event-actions.js";
import { timeline } from "./event-timeline.js";

const AGAIN_MILLIS = 2000;
const ENDED = ["COMPLETED", "FAILED", "CANCELLED"];

export function event(/** @type {HTMLElement} */ main, /** @type {any} */ route) {
  const id = route.path[1];
  document.title = `${id} · Holdfast`;
  const one = loader((signal) => get(`events/${segment(id)}?body=text`, signal), show);

  function show({ data: told, error }) {
    if (!told) {
      const missing = error?.status === 404;
      return patch(main, missing ? empty("Event not found", h("p", {}, `There is no event ${id}. Ended events are deleted after their retention. `), h("p", {}, h("a", { href: to(["events"]) }, "Show all events")))
        : error ? failed(error, () => one.load()) : loading());
    }
    const it = told.data;
    document.title = `${it.key ?? it.id} · Holdfast`;
    patch(main,
      h("nav.crumbs", { key: "crumbs", "aria-label": "Path" }, h("a", { href: to(["events"]) }, "Events"), h("span", { "aria-hidden": "true" }, "/"), h("span.mono", {}, it.id)),
      h("header.head.event-head", { key: "head" },
        h("div", {}, h("h1", {}, it.key ?? it.id), h("p.sub", {}, status(it), h("span", {}, summary(it)), it.cancelRequested ? h("span.tag.warn", {}, "Cancel requested") : null)),
        h("div.actions", {}, actions(it, told.etag, () => one.load()))),
      error ? h("p.problem", { key: "problem", role: "alert" }, error.message) : null,
      h("div.columns.event", { key: "columns" },
        h("section.panel", { key: "timeline" }, h("header", {}, h("h2", {}, "Timeline"), h("span.muted.small", {}, attemptsOf(it))), timeline(it)),
        h("div.stack", {}, target(it), about(it))));
  }

  one.load();
  const changes = () => JSON.stringify(live.stats?.counts ?? {});
  let seen = changes();
  // the stream reports that something changed, not what; ended events do not change
  const leave = subscribe(() => {
    if (seen === changes() || (one.data && ENDED.includes(one.data.data.status))) return;
    seen = changes();
    one.load();
  });
  // a due or running event may end before the stream reports it
  const timer = setInterval(() => one.data && isMoving(one.data.data) && one.load(), AGAIN_MILLIS);
  return {
    close() {
      clearInterval(timer);
      leave();
      one.close();
    },
  };
}

const isMoving = (it) => it.status === "PROCESSING" || (it.status === "PENDING" && Date.parse(it.dueAt) <= now());

function summary(it) {
  if (it.endedAt) return ["ended ", ago(it.endedAt)];
  if (it.status === "PROCESSING") return ["for ", ago(it.claimedAt)];
  return it.attempts ? ["next attempt ", ago(it.dueAt)] : ["due ", ago(it.dueAt)];
}

const attemptsOf = (it) => `${it.attempts}${it.retry?.maxAttempts ? ` of ${it.retry.maxAttempts}` : ""} attempt${it.attempts === 1 && !it.retry?.maxAttempts ? "" : "s"}`;

function target(it) {
  const to = it.target;
  if (!to) return h("section.panel", { key: "payload" }, h("header", {}, h("h2", {}, "Payload")), it.payload ? code(pretty(it.payload), "Copy payload") : h("p.muted.pad", {}, "None"));
  const headers = Object.entries(to.headers ?? {});
  const body = bodyText(to);
  return h("section.panel", { key: "target" },
    h("header", {}, h("h2", {}, "Target"), h("span.muted.small", {}, to.contentType)),
    h("p.url.mono", {}, h("span.method", {}, to.method ?? "POST"), to.url),
    headers.length ? h("table.headers", {}, h("tbody", {}, headers.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td.mono", {}, [value].flat().join(", ")))))) : null,
    body === undefined ? h("p.muted.pad", {}, "No body") : code(body, "Copy body"));
}

function about(it) {
  return h("section.panel", { key: "about" }, h("header", {}, h("h2", {}, "About")),
    facts(
      ["Id", h("span.mono", {}, it.id)],
      ["Key", it.key && h("span.mono", {}, it.key)],
      ["Type", it.type],
      ["Queue", h("a", { href: to(["events"], { queue: it.queue }) }, it.queue)],
      ["Priority", String(it.priority ?? "")],
      ["Ordering key", it.orderingKey],
      ["Tags", it.tags?.length ? it.tags.map((tag) => h("a.tag", { href: to(["events"], { tag }) }, tag)) : null],
      ["Created", exactly(it.createdAt)],
      ["Due", it.dueAt && exactly(it.dueAt)],
      ["Ended", it.endedAt && exactly(it.endedAt)],
      ["Deadline", it.deadline && exactly(it.deadline)],
      ["Retries", retry(it.retry)],
      ["Timeout", it.timeout && spell(seconds(it.timeout))],
      ["Crashes", it.crashes ? String(it.crashes) : null],
      ["Instance", it.instance && h("span.mono", {}, it.instance)],
      ["Replay of", it.replayOf && eventLink(it.replayOf)],
      ["Replayed as", it.replayedAs && eventLink(it.replayedAs)],
      ["Version", String(it.version)]));
}
