// The overview: verdict, counts, charts, queues, failures and instances.
import { get } from "../api.js";
import { timeChart } from "../chart.js";
import { h, patch } from "../dom.js";
import { icon } from "../icons.js";
import { live, subscribe } from "../live.js";
import { loader } from "../load.js";
import { code, empty, failed, firstEvent, loading, number, plural } from "../parts.js";
import { to } from "../route.js";
import { compact } from "../scale.js";
import { filled, movedOn, ofAnswer } from "../series.js";
import { ago, now, seconds, spell } from "../time.js";
import { failures } from "./overview-failures.js";
import { instances } from "./overview-instances.js";
import { queueRows } from "./overview-queues.js";

const WINDOWS = [["PT15M", "15 min"], ["PT1H", "1 hour"], ["PT6H", "6 hours"], ["PT24H", "24 hours"]];
const AGAIN_MILLIS = 20_000; // for data outside the stream: other windows, instances

export function overview(/** @type {HTMLElement} */ main, /** @type {any} */ route) {
  document.title = "Overview · Holdfast";
  let span = route.query.get("window") ?? "PT1H";
  /** @type {any[]} */
  let series = [];
  const throughput = timeChart({
    title: "Throughput", format: compact, least: 4,
    series: [
      { name: "completed", title: "Completed", kind: "bar", of: (p) => p.completed },
      { name: "retried", title: "Retried", kind: "bar", of: (p) => p.retried },
      { name: "failed", title: "Failed", kind: "bar", of: (p) => p.failed },
    ],
  });
  const lag = timeChart({
    title: "Lag", format: spell, least: 0.1,
    series: [
      { name: "lag-avg", title: "Average", kind: "area", of: (p) => p.lagAvg },
      { name: "lag-max", title: "Longest", kind: "line", of: (p) => p.lagMax },
    ],
  });

  const stats = loader(
    async (signal) => {
      const [told, who] = await Promise.all([get(`stats?window=${encodeURIComponent(span)}`, signal), get("instances", signal)]);
      series = told.data.series.map(ofAnswer);
      return { ...told.data, instances: who.data.items };
    },
    show);

  /** The loaded data, updated by the stream. */
  function merged(loaded) {
    const told = live.stats;
    if (!told || Date.parse(told.at) < Date.parse(loaded.at)) return loaded;
    const counts = told.window === loaded.window
      ? told.counts
      : { ...loaded.counts, pending: told.counts.pending, due: told.counts.due, processing: told.counts.processing };
    return { ...loaded, ...told, window: loaded.window, step: loaded.step, counts };
  }

  function show({ data, error }) {
    if (!data) return patch(main, error ? failed(error, () => stats.load()) : loading());
    const told = merged(data);
    const step = seconds(told.step) * 1000;
    const end = (Math.floor(now() / step) + 1) * step;
    const from = end - seconds(told.window) * 1000;
    if (live.stats?.latest && live.stats.step === told.step) series = movedOn(series, live.stats.latest, from);
    const points = filled(series, from, end, step);
    patch(main,
      verdict(told, span),
      figures(told),
      h("section.charts", { key: "charts" }, throughput.element, lag.element),
      untouched(told) ? first() : h("div.columns", { key: "columns" },
        queueRows(told.queues, () => stats.load()), h("div.stack", {}, failures(told.failures), instances(data.instances))));
    throughput.draw(points, from, end, step, `per ${step === 60_000 ? "minute" : spell(step / 1000)}`);
    lag.draw(points, from, end, step, "from due to started");
  }

  stats.load();
  const timer = setInterval(() => stats.load(), AGAIN_MILLIS);
  const leave = subscribe(() => stats.again());
  return {
    follow(next) {
      span = next.query.get("window") ?? "PT1H";
      stats.load();
    },
    close() {
      clearInterval(timer);
      leave();
      stats.close();
    },
  };
}

function verdict(told, span) {
  const { level, text, problems = [] } = told.verdict;
  const oldest = seconds(told.oldestDueAge);
  return h("section.verdict", { key: "verdict", "data-level": level, "aria-live": "polite" },
    h("span.sign", {}, icon(level === "ok" ? "ok" : level === "warning" ? "warning" : "critical")),
    h("div", {}, h("h1", {}, text),
      problems.length > 1 ? h("ul.problems", {}, problems.slice(1).map((one) => h("li", { key: one.text, "data-level": one.level }, one.text))) : null,
      h("p", {}, oldest > 0 ? `The oldest due event has waited for ${spell(oldest)}` : "No due event is waiting", " · ",
        live.state === "lost" ? h("span", {}, "as of ", ago(told.at)) : working(told.instances))),
    windows(span));
}

function working(all) {
  const lost = all.filter((one) => !one.alive).length;
  const alive = plural(all.length - lost, "instance");
  return lost ? `${alive} alive, ${number(lost)} lost` : `${alive} alive`;
}

function figures(told) {
  const { counts } = told;
  const within = (WINDOWS.find(([value]) => value === told.window) ?? [])[1] ?? spell(seconds(told.window));
  const figure = (name, title, value, hint, query) =>
    h(query ? "a.figure" : "div.figure", { key: name, "data-figure": name, "data-zero": value === 0, href: query && to(["events"], query) }, h("span.name", {}, title), h("b", {}, number(value)), h("span.hint", {}, hint));
  return h("section.figures", { key: "figures", "aria-label": "Counts" },
    figure("pending", "Pending", counts.pending, `${number(counts.due)} due now`, { status: "PENDING" }),
    figure("processing", "Processing", counts.processing, "now", { status: "PROCESSING" }),
    figure("completed", "Completed", counts.completed, `in ${within}`, { status: "COMPLETED" }),
    // attempts have no list
    figure("retried", "Retries", counts.retried, `in ${within}`),
    figure("failed", "Failed", counts.failed, `in ${within}`, { status: "FAILED" }),
    figure("cancelled", "Cancelled", counts.cancelled, `in ${within}`, { status: "CANCELLED" }));
}

function windows(span) {
  return h("nav.windows", { "aria-label": "Time shown" }, WINDOWS.map(([value, title]) =>
    h("a", { href: to([], value === "PT1H" ? {} : { window: value }), "aria-current": value === span ? "true" : undefined }, title)));
}

const untouched = ({ counts, queues }) => !queues?.length && Object.values(counts).every((count) => !count);

function first() {
  return empty("No events yet",
    h("p", {}, "Holdfast calls a URL at the time that you choose, and retries until it succeeds. Create a first event:"),
    code(firstEvent()),
    h("p", {}, "It appears here immediately. For recurring events, ", h("a", { href: to(["new-schedule"]) }, "create a schedule"), "."));
}
