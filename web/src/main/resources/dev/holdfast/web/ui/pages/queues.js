// The list of queues.
import { get } from "../api.js";
import { h, patch } from "../dom.js";
import { live, subscribe } from "../live.js";
import { loader } from "../load.js";
import { empty, failed, heading, loading, number } from "../parts.js";
import { to } from "../route.js";
import { seconds, spell } from "../time.js";
import { limits } from "../words.js";
import { pauseButton } from "./queue-actions.js";
import { editLimits } from "./queue-limits.js";

const HEADS = ["Queue", "Pending", "Due", "Processing", "Oldest due", "Limits", ""];

export function queues(/** @type {HTMLElement} */ main) {
  document.title = "Queues · Holdfast";
  const list = loader(async (signal) => (await get("queues", signal)).data.items, show);

  function show({ data, error }) {
    if (!data) return patch(main, heading("Queues"), error ? failed(error, () => list.load()) : loading());
    const told = new Map((live.stats?.queues ?? []).map((queue) => [queue.name, queue]));
    const known = new Set(data.map((queue) => queue.name));
    const appeared = [...told.values()].filter((queue) => !known.has(queue.name));
    const rows = [...data.map((queue) => ({ ...queue, ...depthOf(told.get(queue.name)) })), ...appeared];
    patch(main, heading("Queues"),
      rows.length === 0 ? empty("No queues yet", h("p", {}, "A queue appears with its first event. Events without a queue name are in the queue ", h("code", {}, "default"), "."))
        : h("table.queues", { key: "table" }, h("thead", {}, h("tr", {}, HEADS.map((title) => h("th", { scope: "col" }, title || h("span.hidden", {}, "Actions"))))),
          h("tbody", {}, rows.map((queue) => row(queue, () => list.load())))));
  }

  list.load();
  const leave = subscribe(() => list.again());
  return {
    close() {
      leave();
      list.close();
    },
  };
}

/** Only the depth comes from the stream: a change made here may be newer than the next message. */
const depthOf = (queue) => queue && { pending: queue.pending, due: queue.due, processing: queue.processing, oldestDueAge: queue.oldestDueAge };

function row(queue, reload) {
  const oldest = seconds(queue.oldestDueAge);
  return h("tr", { key: queue.name, "data-queue": queue.name, "data-paused": String(queue.paused) },
    h("td", { "data-head": "Queue" }, h("a.title", { href: to(["events"], { queue: queue.name }) }, queue.name), queue.paused ? h("span.tag.warn", {}, "Paused") : null),
    h("td.num", { "data-head": "Pending" }, number(queue.pending)),
    h("td.num", { "data-head": "Due" }, number(queue.due)),
    h("td.num", { "data-head": "Processing" }, number(queue.processing)),
    h("td.num", { "data-head": "Oldest due" }, oldest > 0 ? spell(oldest) : h("span.muted", {}, "–")),
    h("td", { "data-head": "Limits" }, limits(queue.limits) || h("span.muted", {}, "none"),
      queue.keyLimits ? h("span.per-key", {}, `per concurrency key: ${limits(queue.keyLimits)}`) : null),
    h("td.c-actions", {}, h("div.row-actions", {},
      h("button.quiet", { type: "button", "aria-label": `Limits of ${queue.name}`, onclick: () => editLimits(queue.name, reload) }, "Limits"),
      pauseButton(queue, reload))));
}
