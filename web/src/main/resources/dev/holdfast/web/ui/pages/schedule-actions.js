// What one can do with a schedule.
import { call, get, segment } from "../api.js";
import { ask } from "../dialog.js";
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { eventLink } from "../parts.js";
import { go, to } from "../route.js";
import { toast } from "../toast.js";

const pathOf = (one) => `schedules/${segment(one.name)}`;

/** For a row of the list: the two that are needed in a hurry. */
export function rowActions(/** @type {any} */ one, /** @type {() => void} */ reload) {
  const what = one.paused ? "Resume" : "Pause";
  return [
    h("button.quiet", { type: "button", "aria-label": `Trigger ${one.name}`, onclick: () => trigger(one, reload) }, "Trigger"),
    h("button.quiet", { type: "button", title: `${what} ${one.name}`, "aria-label": `${what} ${one.name}`, onclick: () => pause(one, undefined, reload) }, icon(one.paused ? "play" : "pause")),
  ];
}

/** For the page of one, changed as it was seen. */
export function pageActions(/** @type {any} */ one, /** @type {string | undefined} */ etag, /** @type {() => void} */ reload) {
  return [
    h("button", { type: "button", key: "trigger", onclick: () => trigger(one, reload) }, "Trigger now"),
    h("button", { type: "button", key: "pause", onclick: () => pause(one, etag, reload) }, one.paused ? "Resume" : "Pause"),
    // those of other types are made by programs, and changed there
    one.target && h("a.button", { key: "edit", href: to(["schedules", one.name, "edit"]) }, "Edit"),
    h("button", { type: "button", key: "delete", onclick: () => remove(one, etag, reload) }, "Delete"),
  ];
}

function pause(one, etag, reload) {
  ask({
    title: one.paused ? `Resume ${one.name}?` : `Pause ${one.name}?`,
    text: one.paused
      ? "It fires again from now on. Runs that it missed while it was paused are skipped."
      : "It makes no more events until it is resumed. Events it has already made are not touched.",
    confirm: one.paused ? "Resume" : "Pause",
    reload,
    async act() {
      // the list does not have the tag; what is paused there is paused as it is now
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
    text: "It makes one event at once, besides those of its own times.",
    confirm: "Trigger",
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
    text: "It will not fire again. Events it has already made are not touched.",
    confirm: "Delete the schedule",
    danger: true,
    reload,
    async act() {
      await call("DELETE", pathOf(one), { etag });
      toast("Deleted ", h("b", {}, one.name));
      go(to(["schedules"]));
    },
  });
}
