// Pauses and resumes a queue.
import { call, segment } from "../api.js";
import { ask } from "../dialog.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { toast } from "../toast.js";

export function pauseButton(/** @type {any} */ queue, /** @type {() => void} */ done) {
  const what = queue.paused ? "Resume" : "Pause";
  return h("button.quiet", { type: "button", title: `${what} ${queue.name}`, "aria-label": `${what} ${queue.name}`, onclick: () => pause(queue, done) },
    icon(queue.paused ? "play" : "pause"));
}

function pause(queue, done) {
  const path = `queues/${segment(queue.name)}`;
  ask({
    title: queue.paused ? `Resume ${queue.name}?` : `Pause ${queue.name}?`,
    text: queue.paused
      ? "Due events are processed immediately, within the limits of the queue."
      : "Running events complete. No further event of this queue starts until you resume it. No event is lost.",
    confirm: queue.paused ? "Resume queue" : "Pause queue",
    async act() {
      await call("POST", `${path}:${queue.paused ? "resume" : "pause"}`);
      toast(queue.paused ? "Resumed " : "Paused ", h("b", {}, queue.name));
      done();
    },
  });
}
