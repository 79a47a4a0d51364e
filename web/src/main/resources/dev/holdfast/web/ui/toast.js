// A short message that disappears after a few seconds.
import { h } from "./dom.js";

const SHOWN_MILLIS = 6000;

/** @param {...import("./dom.js").Content} content */
export function toast(...content) {
  const made = h("div.toast", {}, content);
  document.getElementById("toasts")?.append(made);
  setTimeout(() => made.remove(), SHOWN_MILLIS);
}
