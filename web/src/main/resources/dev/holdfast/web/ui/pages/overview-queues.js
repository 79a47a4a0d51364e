// The queues on the overview.
import { h } from "../dom.js";
import { empty, number } from "../parts.js";
import { to } from "../route.js";
import { seconds, spell } from "../time.js";
import { pauseButton } from "./queue-actions.js";

export function queueRows(/** @type {any[]} */ queues, /** @type {() => void} */ reload) {
  const deepest = Math.max(1, ...queues.map((queue) => queue.pending));
  return h("section.panel", { key: "queues" },
    h("header", {}, h("h2", {}, "Queues"), h("a", { href: to(["queues"]) }, "Limits")),
    queues.length === 0 ? empty("No queues yet", h("p", {}, "A queue appears with its first event.")) :
    h("ul.rows", {}, queues.map((queue) => h("li.queue", { key: queue.name, "data-paused": String(queue.paused) },
      h("div.line", {},
        h("a.name", { href: to(["events"], { queue: queue.name }) }, queue.name),
        queue.paused ? h("span.tag.warn", {}, "Paused") : null,
        h("span.space", {}),
        h("span.num", { title: `${number(queue.pending)} pending, ${number(queue.due)} due, ${number(queue.processing)} processing` },
          h("b", {}, number(queue.pending)), h("span.muted", {}, " pending")),
        pauseButton(queue, reload)),
      bar(queue, deepest),
      h("p.muted.small", {}, told(queue))))));
}

function told(queue) {
  const parts = [`${number(queue.processing)} processing`, `${number(queue.due)} due`];
  const oldest = seconds(queue.oldestDueAge);
  if (oldest >= 1) parts.push(`oldest waits ${spell(oldest)}`);
  return parts.join(" · ");
}

/** The depth relative to the deepest queue, and the due part of it. */
function bar(queue, deepest) {
  const part = (value) => `${Math.max(value ? 0.6 : 0, (value / deepest) * 100).toFixed(2)}%`;
  return h("div.depth", { "aria-hidden": "true" },
    h("i.due", { style: { width: part(queue.due) } }), h("i.waiting", { style: { width: part(queue.pending - queue.due) } }));
}
