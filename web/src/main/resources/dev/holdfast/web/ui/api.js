// The public API, as the page uses it. All paths are relative to the page.

/** What the API tells about a failure. */
export class Problem extends Error {
  /** @param {{status: number, title: string, detail: string}} told */
  constructor(told) {
    super(told.detail || told.title);
    this.status = told.status;
  }
}

let csrf = "";

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
async function send(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET" && csrf) headers["X-CSRF-Token"] = csrf;
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const told = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Problem(told);
  return told;
}

export async function session() {
  const told = await send("GET", "v1/session");
  csrf = told.csrf || "";
  return told;
}

/** @param {string} token */
export async function signIn(token) {
  const told = await send("POST", "v1/session", { token });
  csrf = told.csrf;
  return told;
}

export async function signOut() {
  await send("DELETE", "v1/session");
  csrf = "";
}

export const instances = () => send("GET", "v1/instances");
