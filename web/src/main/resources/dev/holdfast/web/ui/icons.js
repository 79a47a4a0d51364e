// Small drawings of lines, in the colour of the text around them.
import { s } from "./dom.js";

const PATHS = {
  overview: "M3 12h3.5l2.5-7 5 14 2.5-7H21",
  events: "M8 6h13M8 12h13M8 18h13M3.5 6h.01M3.5 12h.01M3.5 18h.01",
  schedules: "M12 7v5l3 2M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18",
  queues: "M12 3l9 5-9 5-9-5zM3 12.5l9 5 9-5M3 16.5l9 5 9-5",
  sun: "M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500z",
  leave: "M15 4h4v16h-4M10 8l-4 4 4 4M6 12h9",
  ok: "M5 12.500l4.5 4.500L19 7",
  warning: "M12 6v7M12 17.500v.01",
  critical: "M7 7l10 10M17 7L7 17",
  pause: "M9 6v12M15 6v12",
  play: "M8 5.500v13l10-6.500z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  older: "M9 6l6 6-6 6",
  newer: "M15 6l-6 6 6 6",
  refresh: "M20 11a8 8 0 1 0-2.3 6.300M20 5v6h-6",
  filter: "M4 6h16M7 12h10M10 18h4",
  plus: "M12 5v14M5 12h14",
};

/** @param {keyof typeof PATHS} name */
export const icon = (name) =>
  s("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, s("path", { d: PATHS[name] }));

/** The mark of the product: two posts and the rope that holds them. */
export const mark = () =>
  s("svg.mark", { viewBox: "0 0 16 16", "aria-hidden": "true" },
    s("rect", { width: 16, height: 16, rx: 4 }), s("path", { d: "M5 3.500v9M11 3.500v9M5 8h6" }));
