// JSON as text. It is never parsed to numbers: those beyond 2^53 would change.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = "  ";

/** Why a text is not JSON; undefined if it is. */
export function notJson(/** @type {string} */ text) {
  try {
    JSON.parse(text);
    return undefined;
  } catch (e) {
    return e.message;
  }
}

export const isJsonType = (/** @type {string | undefined} */ contentType) => /^application\/json$|\+json$/i.test((contentType ?? "").split(";")[0].trim());

/** Indented JSON, with numbers and strings unchanged; any other text as it is. */
export function pretty(/** @type {string} */ text) {
  if (notJson(text) !== undefined) return text;
  let depth = 0;
  let made = "";
  const line = () => `\n${INDENT.repeat(depth)}`;
  const tokens = text.match(TOKENS) ?? [];
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    if (token === "}" || token === "]") {
      depth--;
      made += before === "{" || before === "[" ? token : line() + token;
      return;
    }
    if (before === "{" || before === "[" || before === ",") made += line();
    made += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth++;
  });
  return made;
}

/** The body of a webhook for display; undefined if there is none. */
export const bodyText = (/** @type {any} */ target) =>
  target?.text === undefined ? target?.base64 : isJsonType(target.contentType) ? pretty(target.text) : target.text;
