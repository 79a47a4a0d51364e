// The fields of a schedule, and what they say.
import { h } from "../dom.js";
import { field, select } from "../parts.js";
import { zone } from "../time.js";

const EXAMPLES = () => [
  ["Every day", `daily 09:00 in ${zone}`],
  ["Weekdays", `weekly MON,TUE,WED,THU,FRI 09:00 in ${zone}`],
  ["Monthly", `monthly 1 06:00 in ${zone}`],
  ["Yearly", `yearly 12-24 09:00 in ${zone}`],
  ["Cron", `cron */15 * * * * in ${zone}`],
];
const REDACTED = "…redacted…";
/** What the page does not show but must not lose when it saves. */
const KEPT = ["missed", "tolerance", "jitter", "orderingKey", "retry"];

export function scheduleFields(/** @type {any} */ known, /** @type {string} */ name) {
  const recurrence = h("input.mono", { name: "recurrence", required: true, autocomplete: "off", spellcheck: "false", value: known.recurrence ?? `daily 09:00 in ${zone}` });
  const fill = (text) => {
    recurrence.value = text;
    recurrence.dispatchEvent(new Event("input", { bubbles: true }));
    recurrence.focus();
  };
  return [
    name ? null : field("Name", h("input", { name: "name", required: true, autocomplete: "off", spellcheck: "false", placeholder: "nightly-report" })),
    field("When", recurrence, "Words such as those below, or cron with five fields; always with a time zone."),
    h("div.examples", { role: "group", "aria-label": "Examples" }, EXAMPLES().map(([title, text]) => h("button.chip", { type: "button", onclick: () => fill(text) }, title))),
    h("fieldset", {}, h("legend", {}, "What is called"),
      h("div.beside.address", {},
        field("Method", select("method", ["POST", "PUT", "PATCH", "GET", "DELETE"].map((one) => [one, one]), known.target?.method)),
        field("Address", h("input", { name: "url", type: "url", required: true, placeholder: "https://example.com/hook", value: known.target?.url }))),
      field("Headers", h("textarea.mono", { name: "headers", rows: "2", spellcheck: "false", placeholder: "X-Reason: nightly" }, headerText(known.target?.headers)), "One on each line."),
      field("Body (JSON, or any text)", h("textarea.mono", { name: "body", rows: "5", spellcheck: "false" }, bodyText(known.target)))),
    h("fieldset", {}, h("legend", {}, "How"),
      h("div.beside", {},
        field("Queue", h("input", { name: "queue", autocomplete: "off", value: known.queue ?? "default" })),
        field("Priority", h("input", { name: "priority", type: "number", min: "0", max: "9", value: known.priority ?? 5 }))),
      h("div.beside", {},
        field("Timeout", h("input", { name: "timeout", autocomplete: "off", placeholder: "15s", value: known.timeout })),
        field("If the last run is not over", select("overlap", [["ALLOW", "Run both"], ["SKIP", "Leave this one out"], ["QUEUE", "Run one after the other"]], known.overlap))),
      field("Tags", h("input", { name: "tags", autocomplete: "off", placeholder: "report, night", value: known.tags?.join(", ") }), "Separated by commas.")),
  ];
}

const headerText = (headers = {}) => Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`)).join("\n");

function bodyText(target) {
  if (!target) return "";
  return target.body !== undefined ? JSON.stringify(target.body, null, 2) : target.text ?? target.base64 ?? "";
}

/** The body of the request; what the form does not show is sent as it was. */
export function readForm(/** @type {HTMLFormElement} */ form, /** @type {any} */ known) {
  const fields = new FormData(form);
  const value = (name) => String(fields.get(name) ?? "").trim();
  const said = Object.fromEntries(KEPT.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
  said.recurrence = value("recurrence");
  said.target = target(fields, known.target);
  said.overlap = value("overlap");
  if (value("queue")) said.queue = value("queue");
  if (value("priority")) said.priority = Number(value("priority"));
  if (value("timeout")) said.timeout = value("timeout");
  const tags = value("tags").split(",").map((tag) => tag.trim()).filter(Boolean);
  if (tags.length) said.tags = tags;
  return { name: value("name"), ...said };
}

function target(fields, known) {
  const made = { method: String(fields.get("method")), url: String(fields.get("url")).trim() };
  const headers = readHeaders(String(fields.get("headers") ?? ""));
  if (Object.keys(headers).length) made.headers = headers;
  if (known?.contentType) made.contentType = known.contentType;
  const text = String(fields.get("body") ?? "");
  if (!text.trim()) return made;
  if (known?.base64 !== undefined && text === known.base64) return { ...made, base64: text };
  try {
    return { ...made, body: JSON.parse(text) };
  } catch {
    return { ...made, text };
  }
}

function readHeaders(text) {
  /** @type {Record<string, string | string[]>} */
  const headers = {};
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? [];
    if (!name) throw new Error(`A header must read 'Name: value', was '${line}'.`);
    if (value.includes(REDACTED)) throw new Error(`The value of ${name.trim()} is hidden here. Type it again, so that it is not lost.`);
    headers[name.trim()] = name.trim() in headers ? [headers[name.trim()], value.trim()].flat() : value.trim();
  }
  return headers;
}
