// Elements, and how a page changes without flicker: it makes what it wants to see, and `patch`
// changes what is there into it. Text from anywhere becomes text nodes; there is no way in for markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false | Content[]} Content */

/**
 * An element of HTML. The name may carry classes: `h("p.note.small", {}, "text")`.
 * A property that begins with `on` is a listener, `key` names the element among its siblings,
 * `style` is an object, and an element with `keep` is never replaced: its owner changes it.
 * @param {string} name
 * @param {Record<string, any>} [properties]
 * @param {...Content} content
 */
export const h = (name, properties, ...content) => make(document.createElement.bind(document), name, properties, content);

/** The same for SVG. */
export const s = (/** @type {string} */ name, /** @type {Record<string, any>} */ properties, /** @type {Content[]} */ ...content) =>
  make((tag) => document.createElementNS(SVG, tag), name, properties, content);

function make(create, name, properties = {}, content) {
  const [tag, ...classes] = name.split(".");
  const node = create(tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(properties)) set(node, key, value);
  node.append(...nodes(content).map(stand));
  return node;
}

function set(node, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (key.startsWith("on")) listen(node, key.slice(2), value);
  else if (key === "key" || key === "keep") node[`$${key}`] = value;
  else if (key === "style") for (const [name, to] of Object.entries(value)) node.style.setProperty(name, to);
  else if (key === "class") node.setAttribute("class", [node.getAttribute("class"), value].filter(Boolean).join(" "));
  else node.setAttribute(key, value === true ? "" : String(value));
}

/** One listener that calls the newest function, so that `patch` can replace it. */
function listen(node, type, listener) {
  if (!node.$on) node.$on = {};
  if (!(type in node.$on)) node.addEventListener(type, dispatch);
  node.$on[type] = listener;
}

function dispatch(event) {
  return this.$on?.[event.type]?.call(this, event);
}

/** A kept element on the page stays where it is; a placeholder marks its new position. */
function stand(node) {
  if (!node.$keep || !node.isConnected) return node;
  const placeholder = document.createComment("");
  placeholder.$for = node;
  return placeholder;
}

/** Puts kept elements where their placeholders are. */
function settle(node) {
  for (const child of [...node.childNodes]) {
    if (child.$for) child.replaceWith(child.$for);
    else settle(child);
  }
}

/** @param {Content[]} content @returns {Node[]} */
function nodes(content) {
  return content
    .flat(Infinity)
    .filter((part) => part !== null && part !== undefined && part !== false)
    .map((part) => (part instanceof Node ? part : document.createTextNode(String(part))));
}

/**
 * Makes the children of an element look like this, keeping those that are the same kind: focus,
 * selection, scroll position and input are preserved.
 * @param {Element} parent
 * @param {...Content} content
 */
export function patch(parent, ...content) {
  const keyed = new Map();
  for (const child of parent.childNodes) if (child.$key !== undefined) keyed.set(child.$key, child);
  let at = parent.firstChild;
  for (const part of nodes(content)) {
    const want = part.$for ?? part;
    const have = counterpart(parent, want, at, keyed);
    if (have) {
      if (have === at) at = at.nextSibling;
      else parent.insertBefore(have, at);
      morph(have, want);
    } else {
      parent.insertBefore(want, at);
      settle(want);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** The existing node that can become the wanted one. */
function counterpart(parent, want, at, keyed) {
  if (want.$keep) return want.parentNode === parent ? want : null;
  const have = want.$key === undefined ? (at?.$key === undefined && !at?.$keep ? at : null) : keyed.get(want.$key);
  keyed.delete(want.$key);
  return have && have.nodeType === want.nodeType && have.nodeName === want.nodeName ? have : null;
}

function morph(have, want) {
  if (have === want) return;
  if (have.nodeType === Node.TEXT_NODE) {
    if (have.data !== want.data) have.data = want.data;
    return;
  }
  morphAttributes(have, want);
  for (const [type, listener] of Object.entries(want.$on ?? {})) listen(have, type, listener);
  for (const type of Object.keys(have.$on ?? {})) if (!want.$on || !(type in want.$on)) have.$on[type] = undefined;
  patch(have, ...want.childNodes);
}

function morphAttributes(have, want) {
  const own = (name) => name === "style" || (name === "open" && have.nodeName === "DETAILS");
  for (const { name, value } of want.attributes) {
    if (own(name) || have.getAttribute(name) === value) continue;
    have.setAttribute(name, value);
    if (name === "value" && have !== document.activeElement) have.value = value;
  }
  for (const { name } of [...have.attributes]) if (!own(name) && !want.hasAttribute(name)) have.removeAttribute(name);
  // through the object model: the policy of the page forbids style attributes
  if (have.style.cssText !== want.style.cssText) have.style.cssText = want.style.cssText;
}
