// Replays all events that match the filters, after a count and a confirmation.
import { call } from "../api.js";
import { ask } from "../dialog.js";
import { h, patch } from "../dom.js";
import { plural } from "../parts.js";
import { toast } from "../toast.js";

const KNOWN = ["queue", "type", "tag", "createdFrom", "createdTo", "error"];
const ENDED = ["FAILED", "CANCELLED", "COMPLETED"];

/** A button, or nothing if the filters may match events that have not ended. */
export function bulkReplay(/** @type {URLSearchParams} */ query, /** @type {() => void} */ done) {
  const statuses = query.getAll("status");
  if (!statuses.length || !statuses.every((one) => ENDED.includes(one))) return null;
  if (["key", "dueFrom", "dueTo"].some((name) => query.has(name))) return null;
  return h("button", { type: "button", onclick: () => replay(query, statuses, done) }, "Replay all…");
}

function replay(query, statuses, done) {
  const filter = { status: statuses, ...Object.fromEntries(KNOWN.filter((name) => query.has(name)).map((name) => [name, query.get(name)])) };
  const counted = h("p.counted", {}, "Counting…");
  let count = 0;
  const { yes } = ask({
    title: "Replay these events?",
    text: [counted, h("p", {}, "For each, a new event with the same content is created that is due now. Events that were already replayed are skipped."),
      h("ul.said", {}, Object.entries(filter).map(([name, value]) => h("li", {}, h("span.muted", {}, `${name} `), [value].flat().join(", "))))],
    confirm: "Replay",
    ready: call("POST", "events:replay", { body: { filter, dryRun: true } }).then(({ data }) => {
      count = data.count;
      patch(counted, count ? h("b", {}, `${plural(count, "event")} will be replayed.`) : "All matching events were already replayed.");
      patch(yes, `Replay ${plural(count, "event")}`);
      if (!count) throw new Error("Nothing to replay.");
    }),
    async act() {
      const { data } = await call("POST", "events:replay", { body: { filter, dryRun: false } });
      toast(`${plural(data.count, "event")} replayed.`);
      done();
    },
  });
}
