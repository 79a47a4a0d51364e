// Signing in with a token.
import { signIn } from "../api.js";
import { h } from "../dom.js";
import { mark } from "../icons.js";

/** @param {(who: {name: string}) => void} done */
export function signInPage(done) {
  const token = h("input", {
    id: "token", type: "password", name: "token", autocomplete: "current-password", required: true, spellcheck: "false",
    placeholder: "hf_…", "aria-describedby": "token-hint token-problem",
  });
  const problem = h("p.problem", { id: "token-problem", role: "alert" });
  const button = h("button.primary", { type: "submit" }, "Sign in");
  const form = h("form", { onsubmit: submit },
    h("div.brand", {}, mark(), "Holdfast"),
    h("h1", {}, "Sign in"),
    h("label", { for: "token" }, "Token"), token,
    problem,
    button,
    h("p.hint", { id: "token-hint" }, "Shown when the service started for the first time. ",
      "To create another: ", h("code", {}, "./holdfast token create NAME")));

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    try {
      done(await signIn(token.value.trim()));
    } catch (e) {
      problem.textContent = e.status === 401 ? "Invalid token. Check that you copied all of it and that it was not revoked." : e.message;
      button.disabled = false;
      token.select();
      token.focus();
    }
  }
  return h("main.sign-in", {}, form);
}
