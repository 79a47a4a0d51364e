// The list of events, with the filters of the address.
import { get } from "../api.js";
import { h, patch } from "../dom.js";
import { icon } from "../icons.js";
import { live, subscribe } from "../live.js";
import { loader } from "../load.js";
import { code, empty, failed, firstEvent, heading, loading } from "../parts.js";
import { to } from "../route.js";
import { FILTERS, filterBar } from "./events-filter.js";
import { bulkReplay } from "./events-replay.js";
import { eventTable } from "./events-table.js";

const LIMIT = 50;

export function events(/** @type {HTMLElement} */ main, /** @type {any} */ route) {
  document.title = "Events · Holdfast";
  let query = route.query;
  let seen = "";
  const list = loader(
    async (signal) => {
      const asked = new URLSearchParams(query);
      asked.set("limit", String(LIMIT));
      const told = await get(`events?${asked}`, signal);
      seen = moved();
      return told.data;
    },
    show);
  const filters = filterBar(route.query);

  function show({ data, error, busy }) {
    const changed = data && !query.has("cursor") && seen !== moved();
    patch(main,
      heading("Events",
        changed ? h("button.pill", { key: "refresh", type: "button", onclick: () => list.load() }, icon("refresh"), "New data available. Refresh") : null,
        data?.items.length ? bulkReplay(query, () => list.load()) : null),
      filters.element,
      h("div.list", { key: "list", "data-busy": busy || undefined },
        error ? failed(error, () => list.load()) : !data ? loading(10) : content(data, query)));
  }

  list.load();
  const leave = subscribe(() => list.again());
  return {
    follow(next) {
      query = next.query;
      filters.follow(query);
      list.load();
    },
    close() {
      leave();
      list.close();
    },
  };
}

/** A text that changes with the counts of the stream. */
function moved() {
  const counts = live.stats?.counts;
  return counts ? [counts.pending, counts.processing, counts.completed, counts.failed, counts.cancelled, counts.retried].join() : "";
}

function content(data, query) {
  const narrowed = FILTERS.some((name) => query.has(name));
  if (data.items.length === 0) {
    if (query.has("cursor")) return [empty("No older events", h("p", {}, "This is the last page.")), pages(data, query)];
    return narrowed
      ? empty("No matching events", h("p", {}, "Ended events are deleted after their retention. ", h("a", { href: to(["events"]) }, "Clear filters")))
      : empty("No events yet", h("p", {}, "Create a first event, delivered after ten seconds:"), code(firstEvent()));
  }
  return [eventTable(data.items), pages(data, query)];
}

function pages(data, query) {
  const newest = new URLSearchParams(query);
  newest.delete("cursor");
  const older = new URLSearchParams(query);
  if (data.next) older.set("cursor", data.next);
  return h("nav.pages", { key: "pages", "aria-label": "Pages" },
    query.has("cursor") ? h("a.button", { href: to(["events"], newest) }, icon("newer"), "Newest") : h("span", {}),
    data.next ? h("a.button", { href: to(["events"], older) }, "Older", icon("older")) : null);
}
