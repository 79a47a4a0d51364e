import { Problem, instances, session, signIn, signOut } from "./api.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const leave = /** @type {HTMLButtonElement} */ (document.getElementById("sign-out"));
const REFRESH_MILLIS = 3000;
let timer = 0;

/**
 * An element with attributes and content; text is always text, never markup.
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} content
 */
function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

function showSignIn(message = "") {
  clearTimeout(timer);
  leave.hidden = true;
  const token = /** @type {HTMLInputElement} */ (
    element("input", { id: "token", type: "password", autocomplete: "current-password", required: "", placeholder: "hf_…" })
  );
  const problem = element("p", { class: "problem", role: "alert" }, message);
  const form = element(
    "form", {},
    element("label", { for: "token" }, "The token that was shown at the first start"),
    token, problem,
    element("button", { type: "submit" }, "Sign in"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await signIn(token.value);
      await showInstances();
    } catch (e) {
      problem.textContent = String(e instanceof Error ? e.message : e);
    }
  });
  main.replaceChildren(form);
  token.focus();
}

async function showInstances() {
  clearTimeout(timer);
  leave.hidden = false;
  const told = await instances();
  const rows = told.items.map((/** @type {any} */ item) =>
    element("tr", {},
      element("td", {}, item.name),
      element("td", {}, new Date(item.since).toLocaleString()),
      element("td", {}, item.alive ? "alive" : "lost")));
  const head = ["Instance", "Since", "Lease"].map((title) => element("th", { scope: "col" }, title));
  main.replaceChildren(
    element("h2", {}, "Instances"),
    element("div", { class: "scroll" },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))));
  timer = setTimeout(refresh, REFRESH_MILLIS);
}

async function refresh() {
  try {
    await showInstances();
  } catch (e) {
    if (e instanceof Problem && e.status === 401) showSignIn(e.message);
    else timer = setTimeout(refresh, REFRESH_MILLIS);
  }
}

leave.addEventListener("click", async () => {
  await signOut();
  showSignIn();
});

try {
  await session();
  await refresh();
} catch {
  showSignIn();
}
