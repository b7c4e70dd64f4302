/** Something that a page's Content-Security-Policy has blocked. */
export interface Violation {
  /** The directive, such as `connect-src`. */
  directive: string;
  /** What was blocked: an address, or a word such as `inline`. */
  blocked: string;
  /** The policy is that of `pageside serve --pages`. */
  isServed: boolean;
}

/** Where `pageside serve --pages` has browsers report to. */
const REPORTS = /(?:^|\s)report-uri \/csp-report(?:\s|;|$)/;

/** The parts of the report that events and observers share. */
interface Report {
  effectiveDirective: string;
  blocked: string | null | undefined;
  originalPolicy: string;
  disposition: string;
}

/**
 * Reports each violation that concerns the assistant once: of its server's addresses, at `url`, or
 * within a tray; and all of a page that `pageside serve --pages` serves. The function ends it.
 */
export function watchViolations(url: string, found: (violation: Violation) => void): () => void {
  const known = new Set<string>();
  const take = ({ effectiveDirective: directive, blocked, originalPolicy, disposition }: Report, isInside = false) => {
    const violation = { directive, blocked: blocked || "inline", isServed: REPORTS.test(originalPolicy) };
    const key = `${directive} ${violation.blocked}`;
    const concerns = isInside || violation.isServed || isOurs(violation.blocked, url);
    if (!directive || disposition !== "enforce" || known.has(key) || !concerns) return;
    known.add(key);
    found(violation);
  };
  const listen = (event: SecurityPolicyViolationEvent) => {
    if (event.isTrusted) take({ ...partsOf(event), blocked: event.blockedURI }, isInTray(event));
  };
  addEventListener("securitypolicyviolation", listen);
  const end = observeReports((body) => take({ ...partsOf(body), blocked: body.blockedURL }));
  return () => {
    removeEventListener("securitypolicyviolation", listen);
    end();
  };
}

const partsOf = ({ effectiveDirective, originalPolicy, disposition }: Omit<Report, "blocked">) => ({
  effectiveDirective,
  originalPolicy,
  disposition,
});

/** The body of a report, which TypeScript's DOM library lacks. */
type ReportBody = Omit<Report, "blocked"> & { blockedURL?: string | null };

/** Reports of what was blocked before the tray was there, where the browser keeps them. */
function observeReports(take: (body: ReportBody) => void): () => void {
  if (typeof ReportingObserver === "undefined") return () => {};
  const observer = new ReportingObserver(
    (reports) => {
      for (const { body } of reports) if (body) take(body as unknown as ReportBody);
    },
    { types: ["csp-violation"], buffered: true },
  );
  observer.observe();
  return () => observer.disconnect();
}

const isInTray = (event: Event) =>
  event.composedPath().some((at) => at instanceof Element && at.classList.contains("ps-root"));

/** Reports whether an address is one of the assistant's server, and of nothing else there. */
function isOurs(blocked: string, url: string): boolean {
  if (!URL.canParse(blocked)) return false;
  const base = new URL(url, location.href).href.replace(/\/?$/, "/");
  return ["v1/", "assets/pageside-"].some((path) => blocked.startsWith(base + path));
}

/** What to add to the directive, if that would help. */
export function sourceOf({ blocked }: Violation): string | undefined {
  if (blocked === "inline") return "'unsafe-inline'";
  if (/^(?:data|blob)(?::|$)/.test(blocked)) return `${blocked.slice(0, 4)}:`;
  if (!URL.canParse(blocked)) return undefined;
  const { origin } = new URL(blocked);
  return origin === location.origin ? "'self'" : origin;
}
