// Stopping a queue and letting it go on.
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
      ? "Due events will be processed at once, as far as the limits of the queue allow."
      : "Events that are being processed are finished. No other event of this queue is started until it is resumed; none is lost.",
    confirm: queue.paused ? "Resume" : "Pause",
    async act() {
      await call("POST", `${path}:${queue.paused ? "resume" : "pause"}`);
      toast(queue.paused ? "Resumed " : "Paused ", h("b", {}, queue.name));
      done();
    },
  });
}
