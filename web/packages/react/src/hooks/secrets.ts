/** Names under which applications keep credentials: `access_token`, `apiKey`, `X-Amz-Signature`. */
const SECRET =
  /(^|[^a-z])(code|state|sig|signature|(access|auth|id|refresh)?token|jwt|otp|nonce|key|(api[-_]?)?key|pass(word|wd|code)?|pwd|secret|auth|authorization|credentials?|session[-_]?(id)?|sid|assertion|ticket|saml\w*)$/i;

/** Three base64url parts, as a JSON Web Token has. */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\./;

/** Replaces what is hidden. */
export const HIDDEN = "[hidden]";

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

/** The value as JSON, with every member passed through `change` first. */
export function replace(value: unknown, change: (name: string, value: unknown) => unknown): unknown {
  const text: string | undefined = JSON.stringify(value, change);
  return text === undefined ? undefined : JSON.parse(text);
}

function isSecret(name: string): boolean {
  return SECRET.test(name.replace(/([a-z\d])([A-Z])/g, "$1_$2"));
}
