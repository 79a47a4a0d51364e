// The dialog for the limits of a queue.
import { call, get, segment } from "../api.js";
import { ask } from "../dialog.js";
import { h, patch } from "../dom.js";
import { field } from "../parts.js";
import { brief } from "../time.js";
import { toast } from "../toast.js";

export function editLimits(/** @type {string} */ name, /** @type {() => void} */ done) {
  const path = `queues/${segment(name)}`;
  const body = h("div.limit-fields", {}, h("p.muted", {}, "Loading…"));
  let etag;
  ask({
    title: `Limits of ${name}`,
    text: "Limits apply across all instances and take effect immediately. Without a limit, workers claim as many events as they can handle.",
    body,
    confirm: "Save limits",
    reload: () => editLimits(name, done),
    ready: get(path).then((told) => {
      etag = told.etag;
      patch(body, group("Queue", "limits", told.data.limits), group("Per concurrency key", "keyLimits", told.data.keyLimits, false));
    }),
    async act(fields) {
      await call("PATCH", path, { etag, body: { limits: read(fields, "limits"), keyLimits: read(fields, "keyLimits") } });
      toast("Limits of ", h("b", {}, name), " saved.");
      done();
    },
  });
}

function group(title, name, limit, rated = true) {
  const whole = (member, value) => h("input", { name: `${name}.${member}`, type: "number", min: "1", max: "1000000", inputmode: "numeric", value });
  return h("fieldset", {}, h("legend", {}, title),
    field("Max concurrency", whole("maxConcurrency", limit?.maxConcurrency)),
    rated && field("Rate limit", whole("count", limit?.rateLimit?.count)),
    rated && field("per", h("input", { name: `${name}.period`, value: limit?.rateLimit ? brief(limit.rateLimit.period) : "1s", placeholder: "1s, 10m, 2h" })));
}

function read(fields, name) {
  const value = (member) => String(fields.get(`${name}.${member}`) ?? "").trim();
  const limit = {};
  if (value("maxConcurrency")) limit.maxConcurrency = Number(value("maxConcurrency"));
  if (value("count")) limit.rateLimit = { count: Number(value("count")), period: value("period") || "1s" };
  return Object.keys(limit).length ? limit : null;
}
