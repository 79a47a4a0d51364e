// The actions of a schedule.
import { call, get, segment } from "../api.js";
import { ask } from "../dialog.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { eventLink } from "../parts.js";
import { go, to } from "../route.js";
import { toast } from "../toast.js";

const pathOf = (one) => `schedules/${segment(one.name)}`;

/** The actions in the list. */
export function rowActions(/** @type {any} */ one, /** @type {() => void} */ reload) {
  const what = one.paused ? "Resume" : "Pause";
  return [
    h("button.quiet", { type: "button", "aria-label": `Trigger ${one.name}`, onclick: () => trigger(one, reload) }, "Trigger"),
    h("button.quiet", { type: "button", title: `${what} ${one.name}`, "aria-label": `${what} ${one.name}`, onclick: () => pause(one, undefined, reload) }, icon(one.paused ? "play" : "pause")),
  ];
}

/** The actions on the page of a schedule, for the loaded version. */
export function pageActions(/** @type {any} */ one, /** @type {string | undefined} */ etag, /** @type {() => void} */ reload) {
  return [
    h("button", { type: "button", key: "trigger", onclick: () => trigger(one, reload) }, "Trigger now"),
    h("button", { type: "button", key: "pause", onclick: () => pause(one, etag, reload) }, one.paused ? "Resume" : "Pause"),
    // schedules of other event types are defined by programs
    one.target && h("a.button", { key: "edit", href: to(["schedules", one.name, "edit"]) }, "Edit"),
    h("button", { type: "button", key: "delete", onclick: () => remove(one, etag, reload) }, "Delete"),
  ];
}

function pause(one, etag, reload) {
  ask({
    title: one.paused ? `Resume ${one.name}?` : `Pause ${one.name}?`,
    text: one.paused
      ? "The schedule fires again from now on. Runs during the pause are skipped."
      : "A paused schedule creates no events. Existing events are not affected.",
    confirm: one.paused ? "Resume schedule" : "Pause schedule",
    reload,
    async act() {
      // the list has no ETag: use the current one
      const seen = etag ?? (await get(pathOf(one))).etag;
      await call("POST", `${pathOf(one)}:${one.paused ? "resume" : "pause"}`, { etag: seen });
      toast(one.paused ? "Resumed " : "Paused ", h("b", {}, one.name));
      reload();
    },
  });
}

function trigger(one, reload) {
  ask({
    title: `Trigger ${one.name} now?`,
    text: "Creates one extra event that is due now.",
    confirm: "Trigger schedule",
    async act() {
      const { data } = await call("POST", `${pathOf(one)}:trigger`);
      toast("Triggered: ", eventLink(data.event));
      reload();
    },
  });
}

function remove(one, etag, reload) {
  ask({
    title: `Delete ${one.name}?`,
    text: "The schedule will not fire again. Existing events are not affected.",
    confirm: "Delete schedule",
    danger: true,
    reload,
    async act() {
      await call("DELETE", pathOf(one), { etag });
      toast("Deleted ", h("b", {}, one.name));
      go(to(["schedules"]));
    },
  });
}
