/**
 * The operator's token. It stays in this tab's session storage: a server with authentication takes
 * it as `Authorization: Bearer`, and one without never asks for it. What signs in by a cookie, such
 * as a proxy, needs no token either.
 */
const KEY = "pageside.inspector.token";

/** The token that was typed in. */
export const typedToken = () => sessionStorage.getItem(KEY) ?? undefined;

/** Keeps a token, or forgets it. */
export function keepToken(token: string | undefined): void {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

/** The server wants to know who asks. */
export class SignInNeeded extends Error {}

let refused: () => void = () => undefined;
/** Sets what happens when the server wants to know who asks. */
export function whenRefused(then: () => void): void {
  refused = then;
}

/** A request as whoever has signed in. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const token = typedToken();
  const headers = new Headers(init.headers);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const answer = await fetch(path, { ...init, headers });
  if (answer.status !== 401) return answer;
  refused();
  throw new SignInNeeded(token ? "This token is not valid, or has ended." : "This server needs to know who you are.");
}
