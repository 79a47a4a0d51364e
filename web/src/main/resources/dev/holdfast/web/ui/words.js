// Policies and limits as text.
import { seconds, spell } from "./time.js";

/** `10 attempts: the first retry after 5 s, then ×4 each time, at most 6 h apart`. */
export function retry(/** @type {any} */ policy) {
  if (!policy) return undefined;
  if (policy.maxAttempts === 1) return "one attempt, no retry";
  const parts = [`${policy.maxAttempts} attempts`];
  if (policy.initialDelay) parts.push(`first retry after ${spell(seconds(policy.initialDelay))}`);
  if (policy.multiplier && policy.multiplier !== 1) parts.push(`then ×${policy.multiplier}`);
  if (policy.maxDelay) parts.push(`at most ${spell(seconds(policy.maxDelay))} apart`);
  return parts.join(", ");
}

/** `5 at a time, 10 per 1 s`. */
export function limits(/** @type {any} */ limit) {
  if (!limit) return "";
  const parts = [];
  if (limit.maxConcurrency) parts.push(`${limit.maxConcurrency} at a time`);
  if (limit.rateLimit) parts.push(`${limit.rateLimit.count} per ${spell(seconds(limit.rateLimit.period))}`);
  return parts.join(", ");
}

/** The URL that an event calls, or its type. */
export function about(/** @type {any} */ event) {
  if (!event.target) return event.type;
  return `${event.target.method ?? "POST"} ${event.target.url}`;
}
