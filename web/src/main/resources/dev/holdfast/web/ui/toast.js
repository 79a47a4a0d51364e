// A short word at the edge of the page, gone after a while.
import { h } from "./dom.js";

const SHOWN_MILLIS = 6000;

/** @param {...import("./dom.js").Content} content */
export function toast(...content) {
  const made = h("div.toast", {}, content);
  document.getElementById("toasts")?.append(made);
  setTimeout(() => made.remove(), SHOWN_MILLIS);
}
