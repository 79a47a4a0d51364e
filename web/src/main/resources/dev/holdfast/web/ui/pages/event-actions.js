// The actions of an event. Each is confirmed first, and rejected by the service if the event has changed.
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
        text: "The event becomes due now, without waiting for its due time or retry delay.",
        confirm: "Run now",
        act: async () => { await post("run"); done("The event is due now."); },
      }), "primary"),
      button("Reschedule", () => reschedule(it, path, etag, done)),
      button("Cancel", () => cancel(it, post, done)),
    ];
  }
  if (it.status === "PROCESSING") return it.cancelRequested ? [] : [button("Cancel", () => cancel(it, post, done))];
  if (it.replayedAs) return [h("a.button", { href: to(["events", it.replayedAs]) }, "Show replay")];
  return [
    button("Replay", () => ({
      title: "Replay this event?",
      text: "Creates a new event with the same content that is due now. This event does not change.",
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
      done("Event rescheduled.");
    },
  };
}

function cancel(it, post, done) {
  const running = it.status === "PROCESSING";
  return {
    title: "Cancel this event?",
    text: running
      ? "The event is being processed. Holdfast asks its handler to stop. Effects that already happened remain."
      : "The event will not be delivered. You can replay it later.",
    body: field("Reason (optional)", h("input", { name: "reason", maxlength: "200", autocomplete: "off" })),
    confirm: "Cancel event",
    dismiss: "Keep event",
    danger: true,
    async act(fields) {
      const reason = String(fields.get("reason")).trim();
      await post("cancel", reason ? { reason } : {});
      done(running ? "Cancellation requested." : "Event cancelled.");
    },
  };
}
