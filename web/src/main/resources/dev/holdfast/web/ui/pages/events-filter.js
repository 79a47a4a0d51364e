// The filters of the list. Each change updates the address, which updates the list.
import { h, patch } from "../dom.js";
import { icon } from "../icons.js";
import { live } from "../live.js";
import { STATUSES, field, select } from "../parts.js";
import { go, replace, to } from "../route.js";
import { fromInput, toInput } from "../time.js";

const TEXTS = [
  ["queue", "Queue", ""], ["error", "Error contains", ""], ["key", "Key", ""], ["tag", "Tag", ""], ["type", "Type", ""],
];
export const FILTERS = ["status", ...TEXTS.map(([name]) => name), "createdFrom", "createdTo", "dueFrom", "dueTo"];
const WAIT_MILLIS = 300;

export function filterBar(/** @type {URLSearchParams} */ first) {
  let query = first;
  let timer = 0;
  const chips = h("div.chips", { role: "group", "aria-label": "Status" });
  const inputs = new Map(TEXTS.map(([name]) => [name, h("input", { name, type: "search", autocomplete: "off", spellcheck: "false", list: name === "queue" ? "queues" : undefined })]));
  const which = select("which", [["created", "Created"], ["due", "Due"]], query.has("dueFrom") || query.has("dueTo") ? "due" : "created");
  const from = h("input", { name: "from", type: "datetime-local", step: "1" });
  const until = h("input", { name: "until", type: "datetime-local", step: "1" });
  const suggestions = h("datalist", { id: "queues" });
  const count = h("span.count", {});
  const toggleMore = h("button.quiet.more", { type: "button", "aria-expanded": "false", "aria-controls": "fields", onclick: () => openFields(fields.hidden) }, icon("filter"), "Filters", count);
  const clear = h("a.button.quiet", { href: to(["events"]), id: "clear" }, "Clear");
  const fields = h("form.fields", { id: "fields", hidden: true, role: "search", oninput: typed, onchange: typed, onsubmit: (event) => { event.preventDefault(); apply(); } },
    TEXTS.map(([name, title, hint]) => field(title, inputs.get(name), hint)),
    field("Time", which), field("From", from), field("To", until), suggestions);
  const element = h("section.filters", { key: "filters", keep: true }, h("div.chips", {}, chips, toggleMore, clear), fields);

  function openFields(open) {
    fields.hidden = !open;
    toggleMore.setAttribute("aria-expanded", String(open));
  }

  function typed() {
    clearTimeout(timer);
    timer = window.setTimeout(apply, WAIT_MILLIS);
  }

  function apply() {
    clearTimeout(timer);
    const next = new URLSearchParams();
    for (const status of query.getAll("status")) next.append("status", status);
    for (const [name, input] of inputs) if (input.value.trim()) next.set(name, input.value.trim());
    if (from.value) next.set(`${which.value}From`, fromInput(from.value));
    if (until.value) next.set(`${which.value}To`, fromInput(until.value));
    replace(to(["events"], next));
  }

  function toggle(status) {
    const chosen = new Set(query.getAll("status"));
    if (!chosen.delete(status)) chosen.add(status);
    const next = new URLSearchParams(query);
    next.delete("status");
    next.delete("cursor");
    for (const one of STATUSES) if (chosen.has(one)) next.append("status", one);
    go(to(["events"], next));
  }

  function follow(/** @type {URLSearchParams} */ next) {
    query = next;
    const chosen = query.getAll("status");
    patch(chips, STATUSES.map((one) =>
      h("button.chip", { type: "button", "data-status": one.toLowerCase(), "aria-pressed": String(chosen.includes(one)), onclick: () => toggle(one) },
        h("i.dot", {}), one[0] + one.slice(1).toLowerCase())));
    patch(suggestions, (live.stats?.queues ?? []).map((queue) => h("option", { value: queue.name })));
    for (const [name, input] of inputs) if (input !== document.activeElement) input.value = query.get(name) ?? "";
    if (from !== document.activeElement) from.value = toInput(query.get("createdFrom") ?? query.get("dueFrom"));
    if (until !== document.activeElement) until.value = toInput(query.get("createdTo") ?? query.get("dueTo"));
    const used = FILTERS.slice(1).filter((name) => query.has(name)).length;
    patch(count, used || "");
    clear.hidden = used + chosen.length === 0;
    if (used) openFields(true);
  }

  follow(first);
  return { element, follow };
}
