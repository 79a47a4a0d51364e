// Shows the sign-in page, or the page of the current address.
import { onSignedOut, session } from "./api.js";
import { patch } from "./dom.js";
import { connect, disconnect } from "./live.js";
import { current } from "./route.js";
import { shell } from "./shell.js";
import { signInPage } from "./pages/sign-in.js";
import { overview } from "./pages/overview.js";
import { events } from "./pages/events.js";
import { event } from "./pages/event.js";
import { schedules } from "./pages/schedules.js";
import { schedule } from "./pages/schedule.js";
import { scheduleForm } from "./pages/schedule-form.js";
import { queues } from "./pages/queues.js";
import { notFound } from "./pages/not-found.js";

/** The pages. Each gets the element that it fills and returns `follow` (address changed) and `close`. */
function viewOf([first = "overview", second, third]) {
  if (first === "overview") return overview;
  if (first === "events") return second ? event : events;
  if (first === "queues") return queues;
  if (first === "new-schedule") return scheduleForm;
  if (first !== "schedules") return notFound;
  if (!second) return schedules;
  return third === "edit" ? scheduleForm : schedule;
}

/** @type {{view: Function, id: string, follow?: (route: any) => void, close?: () => void} | null} */
let shown = null;
let frame = null;

function leave() {
  shown?.close?.();
  shown = null;
}

function show() {
  if (!frame) return;
  const route = current();
  const view = viewOf(route.path);
  const id = route.path.join("/");
  frame.mark(route.path[0]);
  if (shown?.view === view && shown.id === id && shown.follow) {
    shown.follow(route);
    return;
  }
  leave();
  patch(frame.main);
  shown = { view, id, ...view(frame.main, route) };
  window.scrollTo(0, 0);
}

function enter(who) {
  if (frame) return;
  frame = shell(who, askForToken);
  patch(document.body, frame.element);
  connect();
  show();
}

function askForToken() {
  leave();
  disconnect();
  frame?.close();
  frame = null;
  document.title = "Sign in · Holdfast";
  patch(document.body, signInPage(enter));
  document.getElementById("token")?.focus();
}

onSignedOut(askForToken);
window.addEventListener("holdfast:signed-out", askForToken);
window.addEventListener("hashchange", () => {
  const before = shown?.id;
  show();
  if (shown && shown.id !== before) frame?.main.focus({ preventScroll: true });
});

try {
  enter(await session());
} catch {
  askForToken();
}
