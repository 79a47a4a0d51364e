// The limits of a queue, changed as they were seen.
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
    text: "They hold for all instances together, and at once. Without a limit, instances take what they can.",
    body,
    confirm: "Save",
    reload: () => editLimits(name, done),
    ready: get(path).then((told) => {
      etag = told.etag;
      patch(body, group("The whole queue", "limits", told.data.limits), group("Each ordering key", "keyLimits", told.data.keyLimits, false));
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
    field("At a time", whole("concurrent", limit?.concurrent)),
    rated && field("Starts", whole("amount", limit?.rate?.amount)),
    rated && field("per", h("input", { name: `${name}.period`, value: limit?.rate ? brief(limit.rate.period) : "1s", placeholder: "1s, 10m, 2h" })));
}

function read(fields, name) {
  const value = (member) => String(fields.get(`${name}.${member}`) ?? "").trim();
  const limit = {};
  if (value("concurrent")) limit.concurrent = Number(value("concurrent"));
  if (value("amount")) limit.rate = { amount: Number(value("amount")), period: value("period") || "1s" };
  return Object.keys(limit).length ? limit : null;
}
