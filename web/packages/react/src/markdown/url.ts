/** A link target that is safe to put into an `href`. */
interface SafeUrl {
  href: string;
  /** The host, or the address of a mail link; `undefined` for a link inside the application. */
  host?: string;
  /** Leaves the application, so it opens in a new tab. */
  external: boolean;
}

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

// It cannot be registered (RFC 2606), so a target that resolves to it was relative.
const BASE = "http://relative.invalid";

/**
 * Decides whether a model's link may be followed: http, https, mailto and relative targets may;
 * anything else (`javascript:`, `data:`, …) gives `undefined`. The decision is made by the URL
 * parser that the browser itself uses, so `java\tscript:` and `/\evil.example` mean here what they
 * mean there.
 */
export function safeUrl(target: string): SafeUrl | undefined {
  const href = withoutControls(target).trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(href);
  // No relative target has a colon before its first slash (RFC 3986, 4.2); one that does imitates a
  // scheme.
  if (!hasScheme && /^[^/?#]*:/.test(href)) return undefined;
  const url = parse(href, hasScheme ? undefined : BASE);
  if (!url || !SCHEMES.has(url.protocol)) return undefined;
  if (url.protocol === "mailto:") return { href: url.href, host: mailAddress(url), external: false };
  if (!hasScheme && url.origin === BASE) return { href, external: false };
  return hasScheme || url.host ? external(url) : undefined;
}

function external(url: URL): SafeUrl {
  // "//host/path" took the scheme of the base; the page's own is what the browser would use.
  const href = url.href;
  return { href, host: url.host, external: true };
}

function parse(href: string, base?: string): URL | undefined {
  try {
    return new URL(href, base);
  } catch {
    return undefined;
  }
}

function mailAddress(url: URL): string {
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return url.pathname;
  }
}

/** Browsers drop tabs and line ends anywhere in a URL, and control characters at its start. */
function withoutControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is removed
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
}

/** Does the visible text of a link already say where it goes? */
export function namesHost(text: string, url: SafeUrl): boolean {
  if (!url.host) return true;
  const shown = text.trim().toLowerCase();
  if (url.href.startsWith("mailto:")) return shown === url.host.toLowerCase();
  // "https://bank.example@evil.example" reads like the bank.
  if (shown.includes("@")) return false;
  return withoutWww(shown.replace(/^https?:\/\//, "").replace(/[/?#].*$/s, "")) === withoutWww(url.host.toLowerCase());
}

const withoutWww = (host: string) => host.replace(/^www\./, "");
