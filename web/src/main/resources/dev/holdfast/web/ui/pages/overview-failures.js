// What fails, grouped by its error; each leads to its events.
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { number } from "../parts.js";
import { to } from "../route.js";
import { ago } from "../time.js";

const LONGEST_SEARCH = 200;

export function failures(/** @type {any[]} */ groups = []) {
  return h("section.panel", { key: "failures" },
    h("header", {}, h("h2", {}, "Failures"), groups.length ? h("a", { href: to(["events"], { status: "FAILED" }) }, "All") : null),
    groups.length === 0 ? h("p.fine", {}, icon("ok"), "Nothing has failed lately.") :
    h("ul.rows", {}, groups.map((group) => h("li", { key: group.error },
      h("a.failure", { href: to(["events"], { status: "FAILED", error: group.error.slice(0, LONGEST_SEARCH) }) },
        h("span.count.num", {}, number(group.count)),
        h("span.error", { title: group.error }, group.error),
        h("span.muted.small", {}, ago(group.lastAt)))))));
}
