// The page for an unknown address.
import { h, patch } from "../dom.js";
import { empty } from "../parts.js";
import { to } from "../route.js";

export function notFound(/** @type {HTMLElement} */ main) {
  document.title = "Page not found · Holdfast";
  patch(main, empty("Page not found", h("p", {}, h("a", { href: to([]) }, "Back to overview"))));
  return {};
}
