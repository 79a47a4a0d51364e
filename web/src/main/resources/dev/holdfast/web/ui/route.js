// The address of a page: `#/events?status=FAILED&queue=mail`. Everything that a page shows depends on its address.

/** @returns {{path: string[], query: URLSearchParams, text: string}} */
export function current() {
  const text = location.hash.replace(/^#\/?/, "");
  const [path, query = ""] = text.split(/\?(.*)/s);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query), text };
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * The address of a view.
 * @param {string[]} path
 * @param {URLSearchParams | Record<string, string | string[] | undefined>} [query]
 */
export function to(path, query = {}) {
  const parameters = query instanceof URLSearchParams ? query : new URLSearchParams();
  if (parameters !== query) {
    for (const [name, value] of Object.entries(query)) {
      for (const one of [value].flat()) if (one !== undefined && one !== "") parameters.append(name, one);
    }
  }
  const text = parameters.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

export function go(/** @type {string} */ address) {
  if (location.hash === address) window.dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = address;
}

/** Changes the address without a new history entry, such as while the user types a filter. */
export function replace(/** @type {string} */ address) {
  if (location.hash === address) return;
  history.replaceState(null, "", address);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}
