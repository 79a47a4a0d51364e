// A confirmation dialog. It stays open until the service has applied the change, and shows why if it has not.
import { Problem } from "./api.js";
import { h, patch } from "./dom.js";

/**
 * @param {{
 *   title: string, text?: import("./dom.js").Content, body?: import("./dom.js").Content, confirm: string, dismiss?: string,
 *   danger?: boolean, reload?: () => void, ready?: Promise<unknown>, act: (fields: FormData) => Promise<void>}} question
 *   `ready`: must resolve before the user can confirm; `reload`: offered if the resource changed
 */
export function ask({ title, text, body, confirm, dismiss = "Cancel", danger, reload, ready, act }) {
  const problem = h("div.problem", { role: "alert" });
  const yes = h("button", { type: "submit", class: danger ? "danger" : "primary" }, confirm);
  const no = h("button", { type: "button", onclick: () => dialog.close() }, dismiss);
  const form = h("form", { method: "dialog" },
    h("h2", { id: "question" }, title), text && h("div.text", {}, text), body, problem, h("div.buttons", {}, no, yes));
  const dialog = h("dialog", { "aria-labelledby": "question" }, form);

  const tell = (e) => patch(problem, ...explained(e, reload && (() => { dialog.close(); reload(); })));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    yes.disabled = true;
    patch(problem);
    try {
      await act(new FormData(form));
      dialog.close();
    } catch (e) {
      tell(e);
      yes.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  if (ready) {
    yes.disabled = true;
    ready.then(() => (yes.disabled = false), tell);
  }
  return { dialog, yes };
}

/** A failure, with what to do about it. */
export function explained(/** @type {unknown} */ e, /** @type {(() => void) | undefined} */ reload) {
  if (e instanceof Problem && e.isStale) {
    return [
      h("p", {}, "It changed since you loaded it, so nothing was done. Reload, check the new state and try again."),
      reload && h("button", { type: "button", onclick: reload }, "Reload"),
    ];
  }
  return [h("p", {}, e instanceof Error ? e.message : String(e))];
}
