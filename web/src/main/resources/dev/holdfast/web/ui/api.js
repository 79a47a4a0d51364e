// The public API, as the page uses it. All paths are relative to the page, so that any prefix works.

/** A failure response of the API. */
export class Problem extends Error {
  /** @param {number} status @param {Record<string, any>} told */
  constructor(status, told) {
    super(told.detail || told.title || `The service responded with ${status}.`);
    this.status = status;
    this.told = told;
  }

  /** Whether the resource changed since it was loaded. */
  get isStale() {
    return this.status === 412 || this.status === 428;
  }
}

let csrf = "";
let signedOut = () => {};

/** @param {() => void} listener called when the session has ended */
export function onSignedOut(listener) {
  signedOut = listener;
}

/**
 * @param {string} method
 * @param {string} path below `v1/`
 * @param {{body?: unknown, etag?: string, fresh?: boolean, token?: string, signal?: AbortSignal}} [options]
 *   `etag`: only for this version; `fresh`: only if it does not exist; `token`: instead of the session
 * @returns {Promise<{data: any, etag: string | undefined, status: number}>}
 */
export async function call(method, path, { body, etag, fresh, token, signal } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (body !== undefined || token) headers["Content-Type"] = "application/json";
  if (token) headers["Authorization"] = `Bearer ${token}`;
  if (method !== "GET" && csrf) headers["X-CSRF-Token"] = csrf;
  if (etag) headers["If-Match"] = etag;
  if (fresh) headers["If-None-Match"] = "*";
  const text = body === undefined ? undefined : JSON.stringify(body);
  let response;
  try {
    response = await fetch(`v1/${path}`, { method, headers, body: text, signal });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Problem(0, { detail: "The service is unreachable. Is it running?" });
  }
  const told = read(await response.text());
  if (response.ok) return { data: told, etag: response.headers.get("ETag") ?? undefined, status: response.status };
  if (response.status === 401 && path !== "session") signedOut();
  throw new Problem(response.status, told ?? {});
}

export const get = (/** @type {string} */ path, /** @type {AbortSignal | undefined} */ signal) => call("GET", path, { signal });

/** Numbers of the API are small. Bodies of webhooks, with arbitrary numbers, are requested as text. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A segment of a path. */
export const segment = (/** @type {string} */ text) => encodeURIComponent(text);

/** The signed-in user; throws a Problem with status 401 without a session. */
export async function session() {
  return remember(await call("GET", "session"));
}

/**
 * Without a body: a busy service may not wait for the body of an unauthenticated request.
 * @param {string} token
 */
export async function signIn(token) {
  // characters that no header can contain
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Problem(401, {});
  return remember(await call("POST", "session", { token }));
}

export async function signOut() {
  await call("DELETE", "session");
  csrf = "";
}

function remember({ data }) {
  csrf = data?.csrf ?? "";
  return data;
}
