// An address that leads nowhere.
import { h, patch } from "../dom.js";
import { empty } from "../parts.js";
import { to } from "../route.js";

export function nowhere(/** @type {HTMLElement} */ main) {
  document.title = "Not found · Holdfast";
  patch(main, empty("There is nothing at this address", h("p", {}, h("a", { href: to([]) }, "Go to the overview"))));
  return {};
}
