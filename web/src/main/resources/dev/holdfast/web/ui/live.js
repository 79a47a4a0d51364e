// The event stream of the page and the state of its connection.
import { session } from "./api.js";
import { setServerTime } from "./time.js";

const LOST_AFTER_MILLIS = 1500; // a quicker reconnection is not shown
const AGAIN_MILLIS = 2000;
const HIDDEN_MILLIS = 30_000;

/** @type {{stats: any, state: "connecting" | "open" | "lost"}} */
export const live = { stats: null, state: "connecting" };

const listeners = new Set();
/** @type {EventSource | null} */
let source = null;
let wanted = false;
let losing = 0;
let again = 0;
let hiding = 0;

/** @param {(what: typeof live) => void} listener called at every change; @returns a function that unsubscribes */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify() {
  for (const listener of [...listeners]) listener(live);
}

function become(/** @type {typeof live.state} */ state) {
  clearTimeout(losing);
  losing = 0;
  if (live.state === state) return;
  live.state = state;
  notify();
}

export function connect() {
  wanted = true;
  open();
}

export function disconnect() {
  wanted = false;
  close();
  live.stats = null;
  live.state = "connecting";
}

function open() {
  close();
  source = new EventSource("v1/stream");
  source.addEventListener("open", () => become("open"));
  source.addEventListener("stats", (event) => {
    live.stats = JSON.parse(event.data);
    setServerTime(live.stats.at);
    become("open");
    notify();
  });
  source.addEventListener("error", () => {
    losing ||= window.setTimeout(() => become("lost"), LOST_AFTER_MILLIS);
    // after a response that is not a stream, a browser does not reconnect by itself
    if (source?.readyState === EventSource.CLOSED) again = window.setTimeout(retry, AGAIN_MILLIS);
  });
}

async function retry() {
  try {
    await session();
  } catch (e) {
    if (e.status === 401) return signedOut();
  }
  if (wanted) open();
}

function signedOut() {
  disconnect();
  window.dispatchEvent(new Event("holdfast:signed-out"));
}

function close() {
  clearTimeout(again);
  clearTimeout(losing);
  losing = 0;
  source?.close();
  source = null;
}

// A page in a hidden tab closes its connection: a browser has six of them for one host.
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (!wanted) return;
  if (document.hidden) hiding = window.setTimeout(close, HIDDEN_MILLIS);
  else if (!source) open();
});

// The browser may keep a page in its cache with an open connection; six of them block the next page.
window.addEventListener("pagehide", close);
window.addEventListener("pageshow", () => wanted && !source && open());
