// Events as rows; on a narrow screen as cards.
import { h } from "../dom.js";
import { number, status } from "../parts.js";
import { go, to } from "../route.js";
import { ago } from "../time.js";

const HEADS = ["Status", "Event", "Queue", "When", "Attempts"];

export function eventTable(/** @type {any[]} */ items) {
  return h("table.events", { key: "table" },
    h("thead", {}, h("tr", {}, HEADS.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, items.map(row)));
}

function row(event) {
  const address = to(["events", event.id]);
  // the keyboard reaches the link; the mouse can use the whole row
  const open = (click) => {
    if (!(click.target instanceof Element && click.target.closest("a")) && !getSelection()?.toString()) go(address);
  };
  return h("tr", { key: event.id, "data-status": event.status, onclick: open },
    h("td.c-status", {}, status(event)),
    h("td.c-event", {},
      h("div.line", {}, h("a.title", { href: address }, event.key ?? event.id),
        event.tags?.length ? h("span.tags", {}, event.tags.map((tag) => h("a.tag", { href: to(["events"], { tag }) }, tag))) : null),
      h("span.about", {}, event.target ? [h("span.method", {}, event.target.method ?? "POST"), event.target.url] : event.type),
      event.error && event.status !== "COMPLETED" ? h("span.error", {}, event.error) : null),
    h("td.c-queue", {}, h("a", { href: to(["events"], { queue: event.queue }) }, event.queue)),
    h("td.c-when", {}, when(event)),
    h("td.c-attempts.num", {}, number(event.attempts), event.retry?.maxAttempts ? h("span.muted", {}, ` / ${event.retry.maxAttempts}`) : null));
}

/** The relevant time for this status. */
function when(event) {
  if (event.endedAt) return ago(event.endedAt);
  if (event.status === "PROCESSING") return h("span", {}, h("span.muted", {}, "since "), ago(event.claimedAt ?? event.dueAt));
  return h("span", {}, h("span.muted", {}, "due "), ago(event.dueAt));
}
