// The fields of the form of a schedule.
import { h } from "../dom.js";
import { bodyText, isJsonType, notJson } from "../json.js";
import { field, select } from "../parts.js";
import { brief, zone } from "../time.js";

const EXAMPLES = () => [
  ["Every day", `daily 09:00 in ${zone}`],
  ["Weekdays", `weekly MON,TUE,WED,THU,FRI 09:00 in ${zone}`],
  ["Monthly", `monthly 1 06:00 in ${zone}`],
  ["Yearly", `yearly 12-24 09:00 in ${zone}`],
  ["Cron", `cron */15 * * * * in ${zone}`],
];
/** Members that the form does not show but must keep. */
const KEPT = ["misfire", "misfireThreshold", "jitter", "orderingKey", "retry"];

export function scheduleFields(/** @type {any} */ known, /** @type {string} */ name) {
  const recurrence = h("input.mono", { name: "recurrence", required: true, autocomplete: "off", spellcheck: "false", value: known.recurrence ?? `daily 09:00 in ${zone}` });
  const fill = (text) => {
    recurrence.value = text;
    recurrence.dispatchEvent(new Event("input", { bubbles: true }));
    recurrence.focus();
  };
  return [
    name ? null : field("Name", h("input", { name: "name", required: true, autocomplete: "off", spellcheck: "false", placeholder: "nightly-report" })),
    field("When", recurrence, "A recurrence such as the examples below, or cron with five fields, with a time zone."),
    h("div.examples", { role: "group", "aria-label": "Examples" }, EXAMPLES().map(([title, text]) => h("button.chip", { type: "button", onclick: () => fill(text) }, title))),
    h("fieldset", {}, h("legend", {}, "Target"),
      h("div.beside.address", {},
        field("Method", select("method", ["POST", "PUT", "PATCH", "GET", "DELETE"].map((one) => [one, one]), known.target?.method)),
        field("URL", h("input", { name: "url", type: "url", required: true, placeholder: "https://example.com/hook", value: known.target?.url }))),
      known.target?.redacted?.length ? h("p.hint", {}, "[redacted] hides a value. It does not change unless you replace it.") : null,
      field("Headers", h("textarea.mono", { name: "headers", rows: "2", spellcheck: "false", placeholder: "X-Reason: nightly" }, headerText(known.target?.headers)), "One per line."),
      field("Body (JSON or text)", h("textarea.mono", { name: "body", rows: "5", spellcheck: "false" }, bodyText(known.target) ?? ""))),
    h("fieldset", {}, h("legend", {}, "Options"),
      h("div.beside", {},
        field("Queue", h("input", { name: "queue", autocomplete: "off", value: known.queue ?? "default" })),
        field("Priority", h("input", { name: "priority", type: "number", min: "0", max: "9", value: known.priority ?? 5 }))),
      h("div.beside", {},
        field("Timeout", h("input", { name: "timeout", autocomplete: "off", placeholder: "15s", value: known.timeout && brief(known.timeout) })),
        field("If the previous run is still active", select("overlap", [["ALLOW", "Run both"], ["SKIP", "Skip"], ["QUEUE", "Queue"]], known.overlap))),
      field("Tags", h("input", { name: "tags", autocomplete: "off", placeholder: "report, night", value: known.tags?.join(", ") }), "Separated by commas.")),
  ];
}

const headerText = (headers = {}) => Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`)).join("\n");

/** The body of the request; members that the form does not show are sent unchanged. */
export function readForm(/** @type {HTMLFormElement} */ form, /** @type {any} */ known) {
  const fields = new FormData(form);
  const value = (name) => String(fields.get(name) ?? "").trim();
  const body = Object.fromEntries(KEPT.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
  body.recurrence = value("recurrence");
  body.target = target(fields, known.target);
  body.overlap = value("overlap");
  if (value("queue")) body.queue = value("queue");
  if (value("priority")) body.priority = Number(value("priority"));
  if (value("timeout")) body.timeout = value("timeout");
  const tags = value("tags").split(",").map((tag) => tag.trim()).filter(Boolean);
  if (tags.length) body.tags = tags;
  return { name: value("name"), ...body };
}

/** The target of the form. Redacted values and an unchanged body are named as unchanged. */
function target(fields, known) {
  const redacted = known?.redacted ?? [];
  const unchanged = [];
  const made = { method: String(fields.get("method")) };
  const url = String(fields.get("url")).trim();
  if (redacted.includes("url") && url === known.url) unchanged.push("url");
  else made.url = url;
  const headers = readHeaders(String(fields.get("headers") ?? ""));
  for (const name of redacted.filter((part) => part.startsWith("headers.")).map((part) => part.slice("headers.".length))) {
    if (headers.get(name)?.join("\n") === [known.headers[name]].flat().join("\n")) {
      unchanged.push(`headers.${name}`);
      headers.delete(name);
    }
  }
  if (headers.size) made.headers = Object.fromEntries([...headers].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
  if (known?.contentType) made.contentType = known.contentType;
  const text = lines(String(fields.get("body") ?? ""));
  const before = bodyText(known);
  if (before !== undefined && text === lines(before)) unchanged.push("body");
  else if (text.trim()) Object.assign(made, body(text, known));
  return unchanged.length ? { ...made, unchanged } : made;
}

const lines = (text) => text.replace(/\r\n?/g, "\n");

/** As text, exactly as typed. */
function body(text, known) {
  if (known?.base64 !== undefined) return { base64: text.trim() };
  const problem = notJson(text);
  if (!known?.contentType) return problem === undefined ? { text, contentType: "application/json" } : { text };
  if (problem !== undefined && isJsonType(known.contentType)) throw new Error(`The body must be JSON, as its content type ${known.contentType} says: ${problem}`);
  return { text };
}

/** @returns {Map<string, string[]>} */
function readHeaders(text) {
  const headers = new Map();
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? [];
    if (!name) throw new Error(`A header must have the form 'Name: value', but this line has not: '${line}'.`);
    headers.set(name.trim(), [...(headers.get(name.trim()) ?? []), value.trim()]);
  }
  return headers;
}
