// What the service tells in figures, in words.
import { seconds, spell } from "./time.js";

/** `10 attempts: the first retry after 5 s, then ×4 each time, at most 6 h apart`. */
export function retry(/** @type {any} */ policy) {
  if (!policy) return undefined;
  if (policy.attempts === 1) return "one attempt, no retry";
  const parts = [`${policy.attempts} attempts`];
  if (policy.first) parts.push(`first retry after ${spell(seconds(policy.first))}`);
  if (policy.factor && policy.factor !== 1) parts.push(`then ×${policy.factor}`);
  if (policy.most) parts.push(`at most ${spell(seconds(policy.most))} apart`);
  return parts.join(", ");
}

/** `5 at a time, 10 per 1 s`. */
export function limits(/** @type {any} */ limit) {
  if (!limit) return "";
  const parts = [];
  if (limit.concurrent) parts.push(`${limit.concurrent} at a time`);
  if (limit.rate) parts.push(`${limit.rate.amount} per ${spell(seconds(limit.rate.period))}`);
  return parts.join(", ");
}

/** What an event is about: the address it calls, or its type. */
export function about(/** @type {any} */ event) {
  if (!event.target) return event.type;
  return `${event.target.method ?? "POST"} ${event.target.url}`;
}
