// Components that several pages share.
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { to } from "./route.js";

export const STATUSES = ["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"];

export const number = (/** @type {number | undefined} */ value) => (value ?? 0).toLocaleString("en-US");
export const plural = (/** @type {number} */ count, /** @type {string} */ word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

/** A status of an event; an event that waits for a retry is "retrying". */
export function status(/** @type {any} */ event) {
  const waits = event.status === "PENDING" && event.attempts > 0;
  const name = waits ? "retrying" : event.status.toLowerCase();
  return h("span.status", { "data-status": name }, h("i.dot", {}), name[0].toUpperCase() + name.slice(1));
}

/** The header of a page. */
export function heading(/** @type {import("./dom.js").Content} */ title, /** @type {import("./dom.js").Content[]} */ ...actions) {
  return h("header.head", { key: "head" }, h("h1", {}, title), actions.length ? h("div.actions", {}, actions) : null);
}

export const eventLink = (/** @type {string} */ id, /** @type {import("./dom.js").Content} */ text = id) =>
  h("a.mono", { href: to(["events", id]) }, text);

/** An empty state: what is empty and what to do. */
export function empty(/** @type {string} */ title, /** @type {import("./dom.js").Content[]} */ ...content) {
  return h("section.empty", { key: "empty" }, h("h2", {}, title), content);
}

/** A failure to load, with a button to retry. */
export function failed(/** @type {Error} */ e, /** @type {() => void} */ again) {
  return h("section.empty.bad", { key: "failed", role: "alert" }, h("h2", {}, "Could not load this page"), h("p", {}, e.message),
    h("button", { type: "button", onclick: again }, "Try again"));
}

/** Placeholder lines, visible only if loading takes long. */
export const loading = (rows = 6) =>
  h("div.loading", { key: "loading", role: "status", "aria-label": "Loading" }, Array.from({ length: rows }, () => h("i", {})));

/** Text to read and to copy. */
export function code(/** @type {string} */ text, label = "Copy") {
  const button = h("button.quiet.copy", { type: "button", title: label, "aria-label": label, onclick: () => copy(text, button) }, icon("copy"));
  return h("div.code", {}, h("pre", { tabindex: "0" }, text), button);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.dataset.done = "yes";
    setTimeout(() => delete button.dataset.done, 1500);
  } catch {
    // browsers refuse this without HTTPS: select the text instead
    getSelection()?.selectAllChildren(button.previousSibling);
  }
}

/** Names and values; pairs without a value are omitted. */
export function facts(/** @type {[string, import("./dom.js").Content][]} */ ...pairs) {
  return h("dl.facts", {}, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
    .map(([name, value]) => h("div", { key: name }, h("dt", {}, name), h("dd", {}, value))));
}

/** A field of a form. */
export function field(/** @type {string} */ label, /** @type {HTMLElement} */ input, /** @type {string} */ hint = "") {
  const id = input.id || `field-${input.getAttribute("name")}`;
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return h("div.field", {}, h("label", { for: id }, label), input, hint && h("p.hint", { id: `${id}-hint` }, hint));
}

export function select(/** @type {string} */ name, /** @type {[string, string][]} */ options, /** @type {string | undefined} */ chosen) {
  return h("select", { name }, options.map(([value, text]) => h("option", { value, selected: value === (chosen ?? options[0][0]) }, text)));
}

/** The public URL of the API. */
export const base = () => new URL("v1/", location.href.split("#")[0]).href;

/** The command that creates a first event. */
export const firstEvent = () =>
  `curl ${base()}publish/https://example.com/hook \\\n  -H "Authorization: Bearer $HOLDFAST_TOKEN" \\\n  -H "Holdfast-Delay: 10s" \\\n  -d '{"hello":"world"}'`;
