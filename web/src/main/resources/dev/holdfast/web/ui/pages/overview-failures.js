// Failures, grouped by error.
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { number } from "../parts.js";
import { to } from "../route.js";
import { ago } from "../time.js";

const MIN = 3;

/** The longest part of an error that all events of the group share. */
function common(error) {
  const longest = error.split("…").map((part) => part.trim()).reduce((one, other) => (other.length > one.length ? other : one), "");
  return longest.length >= MIN && error !== "unknown error" ? longest : undefined;
}

export function failures(/** @type {any[]} */ groups = []) {
  return h("section.panel", { key: "failures" },
    h("header", {}, h("h2", {}, "Failures"), groups.length ? h("a", { href: to(["events"], { status: "FAILED" }) }, "All") : null),
    groups.length === 0 ? h("p.fine", {}, icon("ok"), "No failures in this time.") :
    h("ul.rows", {}, groups.map((group) => h("li", { key: group.error },
      h("a.failure", { href: to(["events"], { status: "FAILED", error: common(group.error) }) },
        h("span.count.num", {}, number(group.count)),
        h("span.error", { title: group.error }, group.error),
        h("span.muted.small", {}, ago(group.lastAt)))))));
}
