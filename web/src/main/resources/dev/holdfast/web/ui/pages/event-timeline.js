// The history of an event, from its creation to its end, and what comes next.
import { h } from "../dom.js";
import { ago, clockSeconds, exact, seconds, short, spell } from "../time.js";

export function timeline(/** @type {any} */ it) {
  const log = it.attemptLog ?? [];
  return h("ol.timeline", {},
    step("created", "Created", it.createdAt, it.replayOf ? `as a replay of ${it.replayOf}` : null),
    log.length === 0 && Date.parse(it.dueAt) > Date.parse(it.createdAt) + 1000 && it.status !== "PENDING" ? step("due", "Due", it.dueAt) : null,
    log.length && log[0].number > 1 ? h("li.gap", { key: "gap" }, h("p.muted", {}, `${log[0].number - 1} earlier attempts are not stored`)) : null,
    log.map(attempt),
    next(it));
}

function attempt(one) {
  const outcome = { COMPLETED: "completed", RETRY: "retrying", FAILED: "failed", CANCELLED: "cancelled" }[one.outcome] ?? "pending";
  const answer = one.status === undefined ? "no response" : `HTTP ${one.status}`;
  return h("li.attempt", { key: `attempt-${one.number}`, "data-status": outcome },
    h("i.node", {}),
    h("div.line", {},
      h("b", {}, `Attempt ${one.number}`), h("span.answer", {}, one.status === undefined && one.outcome === "COMPLETED" ? "completed" : answer),
      one.duration ? h("span.muted.num", {}, spell(seconds(one.duration))) : null,
      h("span.space", {}), at(one.at)),
    one.error && !saysOnlyStatus(one) ? h("p.error", {}, one.error) : null,
    one.excerpt ? h("pre.excerpt", { tabindex: "0" }, one.excerpt) : null,
    h("p.muted.small", {}, [{ RETRY: "will be retried", COMPLETED: "completed", FAILED: "failed, no retry", CANCELLED: "cancelled" }[one.outcome] ?? one.outcome, one.instance, one.address].filter(Boolean).join(" · ")));
}

/** Whether the error repeats the status. */
const saysOnlyStatus = (one) => one.status !== undefined && one.error.length < 40 && one.error.endsWith(` ${one.status}`);

function next(it) {
  if (it.status === "PENDING") return step("next", it.attempts ? `Attempt ${it.attempts + 1}` : "Due", it.dueAt, null, true);
  if (it.status === "PROCESSING") return step("processing", "Processing now", it.claimedAt, it.instance, false);
  const named = { COMPLETED: "Completed", FAILED: "Failed", CANCELLED: "Cancelled" }[it.status];
  return step(it.status.toLowerCase(), named, it.endedAt, [it.status === "COMPLETED" ? null : it.error, it.replayedAs && `replayed as ${it.replayedAs}`].filter(Boolean).join(" · "));
}

function step(name, title, when, note = null, relative = false) {
  return h("li", { key: name, "data-status": name },
    h("i.node", {}),
    h("div.line", {}, h("b", {}, title), h("span.space", {}), when ? (relative ? h("span.muted", {}, ago(when)) : at(when)) : null),
    note ? h("p.muted", {}, note) : null);
}

/** With the date unless it is today. */
function at(when) {
  const today = new Date(when).toDateString() === new Date().toDateString();
  return h("time.muted.num.small", { datetime: when, title: exact(when) }, today ? clockSeconds(when) : short(when));
}
