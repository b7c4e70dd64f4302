/** The form for the operator's token. */
import { h } from "./dom.ts";
import { keepToken } from "./session.ts";

/** Asks for a token, `again` after one that was refused, keeps it and calls `then`. */
export function signInView(again: boolean, then: () => void): HTMLElement {
  const token = h("input", {
    name: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
  }) as HTMLInputElement;
  const why = again
    ? "The token is not valid, or has ended."
    : "This server has authentication. Its inspector needs a token of yours: an API key, or an OpenID token.";
  return h(
    "form",
    {
      class: "filters",
      "aria-label": "Sign in",
      submit: (event) => {
        event.preventDefault();
        keepToken(token.value.trim());
        token.value = "";
        then();
      },
    },
    h("p", { role: "alert" }, why),
    h("label", {}, h("span", { class: "quiet small" }, "Token"), token),
    h("button", { type: "submit" }, "Sign in"),
    h("p", { class: "quiet small" }, "It is kept in this tab until it is closed, and sent to this server only."),
  );
}
