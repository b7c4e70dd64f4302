/** Keeps parts of what is sent private. */

/**
 * Names of members whose values are hidden, at any depth, or a function that takes the value and
 * returns what is sent.
 */
export type Redact = readonly string[] | ((value: unknown) => unknown);

/** Names under which applications keep credentials: `access_token`, `apiKey`, `X-Amz-Signature`. */
const SECRET =
  /(^|[^a-z])(code|state|sig|signature|(access|auth|id|refresh)?token|jwt|otp|nonce|key|(api[-_]?)?key|pass(word|wd|code)?|pwd|secret|auth|authorization|credentials?|session[-_]?(id)?|sid|assertion|ticket|saml\w*)$/i;

/** Three base64url parts, as a JSON Web Token has. */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\./;

/** Replaces what is hidden. */
const HIDDEN = "[hidden]";

/** `token=…` in an address that is itself a parameter, such as a return address. */
const PAIR = /([?&#;])([^?&#;=\s]+)=([^&#;\s]*)/g;

/** The value with credentials replaced; they are recognised by name or form. */
export function hideSecrets(value: unknown): unknown {
  return replace(value, (name, inner) => (isSecret(name) ? HIDDEN : typeof inner === "string" ? hidden(inner) : inner));
}

function hidden(text: string): string {
  if (TOKEN.test(text)) return HIDDEN;
  const isHidden = (name: string, value: string) => isSecret(decoded(name)) || TOKEN.test(value);
  return text.replace(PAIR, (pair, sign: string, name: string, value: string) =>
    isHidden(name, value) ? `${sign}${name}=${HIDDEN}` : pair,
  );
}

/** A path with parts hidden that look like tokens, as in links sent by mail. */
export function hideInPath(path: string): string {
  return path.split("/").map((part) => (TOKEN.test(part) ? HIDDEN : part)).join("/"); // prettier-ignore
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The value without what `redact` takes out of it. */
export function redacted(value: unknown, redact: Redact): unknown {
  if (typeof redact === "function") return redact(value);
  const names = new Set(redact.map((name) => name.toLowerCase()));
  return replace(value, (name, inner) => (names.has(name.toLowerCase()) ? HIDDEN : settled(name, inner)));
}

/** The value as text; undefined if it has none. */
export function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value, settled);
}

/** Refuses a promise, as the core does: as the JSON of before it would be `{}`. */
function settled(_: string, value: unknown): unknown {
  if (value instanceof Promise) throw new TypeError("It has a promise. Await it first.");
  return value;
}

/** The value as JSON, with every member passed through `change` first. */
function replace(value: unknown, change: (name: string, value: unknown) => unknown): unknown {
  const text: string | undefined = JSON.stringify(value, change);
  return text === undefined ? undefined : JSON.parse(text);
}

function isSecret(name: string): boolean {
  return SECRET.test(name.replace(/([a-z\d])([A-Z])/g, "$1_$2"));
}
