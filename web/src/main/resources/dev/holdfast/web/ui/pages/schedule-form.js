// The form of a schedule, with a preview of its next runs.
import { call, get, segment } from "../api.js";
import { explained } from "../dialog.js";
import { h, patch } from "../dom.js";
import { failed, loading } from "../parts.js";
import { go, to } from "../route.js";
import { toast } from "../toast.js";
import { readForm, scheduleFields } from "./schedule-fields.js";
import { runs, zoneOf } from "./schedule-runs.js";

const WAIT_MILLIS = 250;
const COUNT = 5;

export function scheduleForm(/** @type {HTMLElement} */ main, /** @type {any} */ route) {
  const name = route.path[0] === "schedules" ? route.path[1] : "";
  document.title = `${name || "New schedule"} · Holdfast`;
  let timer = 0;
  let asked = 0;
  let closed = false;

  async function open() {
    if (!name) return show({}, undefined);
    patch(main, loading());
    try {
      const { data, etag } = await get(`schedules/${segment(name)}?body=text`);
      if (!closed) show(data, etag);
    } catch (e) {
      if (!closed) patch(main, failed(e, open));
    }
  }

  function show(known, etag) {
    const preview = h("div.preview", { role: "status", keep: true });
    const problem = h("div.problem", { role: "alert", keep: true });
    const save = h("button.primary", { type: "submit" }, name ? "Save schedule" : "Create schedule");
    const form = h("form.schedule-form", { keep: true, oninput: look, onsubmit: submit }, scheduleFields(known, name),
      problem, h("div.buttons", {}, h("a.button", { href: name ? to(["schedules", name]) : to(["schedules"]) }, "Cancel"), save));
    patch(main,
      h("nav.crumbs", { "aria-label": "Path" }, h("a", { href: to(["schedules"]) }, "Schedules"), h("span", { "aria-hidden": "true" }, "/"), h("span", {}, name || "New")),
      h("header.head", {}, h("h1", {}, name ? `Edit ${name}` : "New schedule")),
      h("div.columns.form", {}, form, h("section.panel.next-runs", {}, h("header", {}, h("h2", {}, "Next runs")), preview)));
    form.querySelector(name ? "[name=recurrence]" : "[name=name]")?.focus();
    look();

    function look() {
      clearTimeout(timer);
      timer = window.setTimeout(() => showRuns(form, preview), WAIT_MILLIS);
    }

    async function submit(event) {
      event.preventDefault();
      save.disabled = true;
      patch(problem);
      try {
        const { name: named, ...body } = readForm(form, known);
        const { data, status } = await call("PUT", `schedules/${segment(name || named)}`, { body, etag, fresh: !name });
        toast(status === 201 ? "Created " : "Saved ", h("b", {}, data.name));
        go(to(["schedules", data.name]));
      } catch (e) {
        const taken = !name && e.isStale;
        patch(problem, taken ? h("p", {}, "A schedule with this name already exists. Choose another name, or edit that schedule.") : explained(e, open));
        save.disabled = false;
      }
    }
  }

  async function showRuns(form, preview) {
    const mine = ++asked;
    const recurrence = String(new FormData(form).get("recurrence")).trim();
    if (!recurrence) return patch(preview, h("p.muted.pad", {}, "Enter a recurrence to preview its next runs."));
    try {
      const { data } = await call("POST", "schedules:preview", { body: { recurrence, count: COUNT } });
      if (mine === asked && !closed) {
        patch(preview, h("p.said", {}, data.description), data.next.length ? runs(data.next, zoneOf(data.recurrence)) : h("p.muted.pad", {}, "This recurrence never fires."));
      }
    } catch (e) {
      if (mine === asked && !closed) patch(preview, h("p.problem.pad", {}, e.message));
    }
  }

  open();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
