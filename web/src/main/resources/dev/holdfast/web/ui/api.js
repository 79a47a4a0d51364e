// The public API, as the page uses it. All paths are relative to the page, so that any prefix works.

/** What the API tells about a failure, in words for people. */
export class Problem extends Error {
  /** @param {number} status @param {Record<string, any>} told */
  constructor(status, told) {
    super(told.detail || told.title || `The service answered ${status}.`);
    this.status = status;
    this.told = told;
  }

  /** Whether what was changed is not any more what was seen. */
  get isStale() {
    return this.status === 412 || this.status === 428;
  }
}

let csrf = "";
let signedOut = () => {};

/** @param {() => void} listener told when the session is over */
export function onSignedOut(listener) {
  signedOut = listener;
}

/**
 * @param {string} method
 * @param {string} path below `v1/`
 * @param {{body?: unknown, etag?: string, fresh?: boolean, token?: string, signal?: AbortSignal}} [options]
 *   `etag`: only if it is still this; `fresh`: only if there is none yet; `token`: in place of the session
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
    throw new Problem(0, { detail: "The service cannot be reached. Is it running?" });
  }
  const told = read(await response.text());
  if (response.ok) return { data: told, etag: response.headers.get("ETag") ?? undefined, status: response.status };
  if (response.status === 401 && path !== "session") signedOut();
  throw new Problem(response.status, told ?? {});
}

export const get = (/** @type {string} */ path, /** @type {AbortSignal | undefined} */ signal) => call("GET", path, { signal });

/** The API's own numbers are small; bodies of calls, whose numbers may be any, are asked for as text. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A segment of a path. */
export const segment = (/** @type {string} */ text) => encodeURIComponent(text);

/** Who is signed in; a Problem with status 401 if nobody is. */
export async function session() {
  return remember(await call("GET", "session"));
}

/**
 * Without a body, which the service may be too busy to wait for before it knows who sends it.
 * @param {string} token
 */
export async function signIn(token) {
  // what no header can have is no token
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
