// What one can do with an event; each is asked for first, and refused by the service if the event has changed.
import { call, segment } from "../api.js";
import { ask } from "../dialog.js";
import { h } from "../dom.js";
import { eventLink, field } from "../parts.js";
import { go, to } from "../route.js";
import { fromInput, now, toInput, zone } from "../time.js";
import { toast } from "../toast.js";

export function actions(/** @type {any} */ it, /** @type {string | undefined} */ etag, /** @type {() => void} */ reload) {
  const path = `events/${segment(it.id)}`;
  const button = (title, question, style = "") =>
    h("button", { type: "button", key: title, class: style, onclick: () => ask({ reload, ...question() }) }, title);
  const post = (what, body) => call("POST", `${path}:${what}`, { etag, body });
  const done = (text) => {
    toast(text);
    reload();
  };

  if (it.status === "PENDING") {
    return [
      button("Run now", () => ({
        title: "Run this event now?",
        text: "It becomes due at once. What it would have waited for, a retry or its time, is skipped.",
        confirm: "Run now",
        act: async () => { await post("run"); done("The event is due now."); },
      }), "primary"),
      button("Reschedule", () => reschedule(it, path, etag, done)),
      button("Cancel", () => cancel(it, post, done)),
    ];
  }
  if (it.status === "PROCESSING") return it.cancelRequested ? [] : [button("Cancel", () => cancel(it, post, done))];
  if (it.replayedAs) return [h("a.button", { href: to(["events", it.replayedAs]) }, "Show the replay")];
  return [
    button("Replay", () => ({
      title: "Replay this event?",
      text: "A new event with the same content is made and is due now. This one stays as it is.",
      confirm: "Replay",
      async act() {
        const { data } = await post("replay");
        toast("Replayed as ", eventLink(data.id));
        go(to(["events", data.id]));
      },
    }), "primary"),
  ];
}

function reschedule(it, path, etag, done) {
  const input = h("input", { name: "at", type: "datetime-local", step: "1", required: true, value: toInput(Math.max(Date.parse(it.dueAt), now())) });
  return {
    title: "Reschedule this event?",
    body: field(`New time (${zone})`, input),
    confirm: "Reschedule",
    async act(fields) {
      await call("PATCH", path, { etag, body: { at: fromInput(String(fields.get("at"))) } });
      done("The event has a new time.");
    },
  };
}

function cancel(it, post, done) {
  const running = it.status === "PROCESSING";
  return {
    title: "Cancel this event?",
    text: running
      ? "It is being processed. Its handler is asked to stop; what it has already done stays done."
      : "It will not be delivered. It can be replayed later.",
    body: field("Reason (optional)", h("input", { name: "reason", maxlength: "200", autocomplete: "off" })),
    confirm: "Cancel the event",
    dismiss: "Keep the event",
    danger: true,
    async act(fields) {
      const reason = String(fields.get("reason")).trim();
      await post("cancel", reason ? { reason } : {});
      done(running ? "The event is asked to stop." : "The event is cancelled.");
    },
  };
}
