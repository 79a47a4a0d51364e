// The frame around every view: navigation, the signed-in user, the state of the connection.
import { signOut } from "./api.js";
import { h, patch } from "./dom.js";
import { icon, mark } from "./icons.js";
import { subscribe, live } from "./live.js";
import { to } from "./route.js";
import { zone } from "./time.js";

const PLACES = [
  ["overview", "Overview"],
  ["events", "Events"],
  ["schedules", "Schedules"],
  ["queues", "Queues"],
];
const STATES = { open: "Live", connecting: "Connecting…", lost: "Connection lost. Reconnecting…" };

/**
 * @param {{name: string}} who
 * @param {() => void} left called after a sign-out
 */
export function shell(who, left) {
  const main = h("main", { id: "main", tabindex: "-1" });
  const links = new Map(PLACES.map(([place, title]) => [place, h("a.place", { href: to(place === "overview" ? [] : [place]) }, icon(place), h("span", {}, title))]));
  const state = h("p.live", { role: "status" });
  const notice = h("p.lost", { role: "alert", hidden: true }, "Connection lost. Data may be outdated. Reconnecting…");
  const theme = h("button.quiet.theme", { type: "button" });
  const element = h("div.shell", {},
    h("a.skip", { href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, "Skip to content"),
    h("aside.side", {},
      h("a.brand", { href: to([]) }, mark(), "Holdfast"),
      h("nav", { "aria-label": "Main" }, [...links.values()]),
      h("div.foot", {},
        state,
        h("p.who", { title: `Times are in ${zone}; hover for UTC` }, h("span", {}, who.name), h("span.muted", {}, zone)),
        h("div.tools", {}, theme,
          h("button.quiet", { type: "button", id: "sign-out", title: "Sign out", onclick: () => leave(left) }, icon("leave"), h("span", {}, "Sign out"))))),
    h("div.content", {}, notice, main),
    h("div.toasts", { id: "toasts", role: "status", "aria-live": "polite" }));

  function showTheme() {
    const dark = window.holdfastTheme.isDark();
    theme.title = dark ? "Light colours" : "Dark colours";
    patch(theme, icon(dark ? "sun" : "moon"), h("span", {}, dark ? "Light" : "Dark"));
  }
  theme.addEventListener("click", () => { window.holdfastTheme.toggle(); showTheme(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
  showTheme();

  function showState() {
    if (state.dataset.state === live.state) return;
    state.dataset.state = live.state;
    patch(state, h("i.dot", {}), h("span", {}, STATES[live.state]));
    notice.hidden = live.state !== "lost";
  }
  const leaveStream = subscribe(showState);
  showState();

  return {
    element,
    main,
    close: leaveStream,
    /** Marks the current page. */
    mark(place = "overview") {
      const here = place === "new-schedule" ? "schedules" : place;
      for (const [name, link] of links) {
        if (name === here) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
    },
  };
}

async function leave(left) {
  try {
    await signOut();
  } finally {
    left();
  }
}
