// The list of schedules.
import { get } from "../api.js";
import { h, patch } from "../dom.js";
import { icon } from "../icons.js";
import { loader } from "../load.js";
import { empty, failed, heading, loading } from "../parts.js";
import { replace, to } from "../route.js";
import { ago } from "../time.js";
import { rowActions } from "./schedule-actions.js";

const LIMIT = 100; // the maximum page size of the API
const MAX = 1000;
const AGAIN_MILLIS = 10_000;

export function schedules(/** @type {HTMLElement} */ main, /** @type {any} */ route) {
  document.title = "Schedules · Holdfast";
  let query = route.query;
  const list = loader(
    async (signal) => {
      const items = [];
      let next = query.get("cursor") ?? undefined;
      do {
        const asked = new URLSearchParams({ limit: String(LIMIT) });
        if (next) asked.set("cursor", next);
        const page = (await get(`schedules?${asked}`, signal)).data;
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < MAX);
      return { items, next };
    },
    show);
  const find = h("input.find", {
    type: "search", placeholder: "Find by name, target or queue", "aria-label": "Find a schedule", autocomplete: "off",
    value: query.get("find") ?? undefined,
    oninput: () => replace(to(["schedules"], { find: find.value.trim(), cursor: query.get("cursor") ?? undefined })),
  });
  const finding = h("div.filters", { key: "find", keep: true }, find);

  function show({ data, error }) {
    const create = h("a.button.primary", { href: to(["new-schedule"]) }, icon("plus"), "New schedule");
    if (!data) return patch(main, heading("Schedules", create), error ? failed(error, () => list.load()) : loading());
    if (data.items.length === 0 && !query.has("cursor")) {
      return patch(main, heading("Schedules"), empty("No schedules yet",
        h("p", {}, "A schedule creates an event each time it fires: every night, every Monday at nine in Madrid, once a year. Each fire creates exactly one event. Create a first schedule:"), create));
    }
    const wanted = (query.get("find") ?? "").toLowerCase();
    const found = data.items.filter((one) => [one.name, one.queue, one.target?.url, one.recurrence, one.paused ? "paused" : ""].some((text) => text?.toLowerCase().includes(wanted)));
    patch(main, heading("Schedules", create), finding,
      found.length ? h("ul.cards", { key: "cards" }, found.map((one) => card(one, () => list.load()))) : empty("No matching schedules", h("p", {}, "Try a part of the name.")),
      data.next ? h("nav.pages", { key: "pages" }, h("span", {}), h("a.button", { href: to(["schedules"], { cursor: data.next }) }, "More", icon("older"))) : null);
  }

  list.load();
  const timer = setInterval(() => list.load(), AGAIN_MILLIS);
  return {
    follow(next) {
      const moved = next.query.get("cursor") !== query.get("cursor");
      query = next.query;
      if (moved) list.load({ fresh: true });
      else list.again();
    },
    close() {
      clearInterval(timer);
      list.close();
    },
  };
}

function card(one, reload) {
  return h("li.schedule", { key: one.name, "data-schedule": one.name, "data-paused": String(one.paused) },
    h("div.what", {},
      h("p.line", {}, h("a.title", { href: to(["schedules", one.name]) }, one.name), one.paused ? h("span.tag.warn", {}, "Paused") : null),
      h("p", {}, one.description ?? one.recurrence),
      h("p.muted.small.about", {}, one.target?.url ?? one.type ?? "")),
    h("dl.runs", {},
      h("div", {}, h("dt", {}, "Next"), h("dd", {}, one.paused ? h("span.muted", {}, "paused") : one.next?.length ? ago(one.next[0]) : ago(one.nextFireAt, "never again"))),
      h("div", {}, h("dt", {}, "then"), h("dd.muted", {}, one.paused ? "–" : ago(one.next?.[1]))),
      h("div", {}, h("dt", {}, "Last"), h("dd", {}, one.lastFireAt ? (one.lastEvent ? h("a", { href: to(["events", one.lastEvent]) }, ago(one.lastFireAt)) : ago(one.lastFireAt)) : h("span.muted", {}, "not yet")))),
    h("div.row-actions", {}, rowActions(one, reload)));
}
