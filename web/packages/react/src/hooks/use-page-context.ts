import type { PagesideClient, Place } from "@pageside/core";
import { useAssistantContext } from "../context.js";
import { useContextId } from "./use-context-id.js";
import { useLatest, useRegistrationEffect } from "./use-latest.js";

/** What the address bar says: the parameters of the query, and of a query behind the hash (`#/discover?_a=…`), by name. */
export type UrlState = Record<string, string>;

/** Turns the address into what the assistant should know. Called when a message is sent. */
export type ConvertUrlState = (urlState: UrlState, url: URL) => unknown;

export interface PageContext extends Partial<Place> {
  /** What the context is, in words. Default: `page`. */
  description?: string;
  convert?: ConvertUrlState;
  source?: string;
}

const DESCRIPTION = "Address of the page the user is on";

/**
 * Tells the assistant where the user is. Without arguments it sends the address: path and parameters. With `convert`
 * it sends what that makes of them. With `page` (and `tab`, `subtab`, `scope`) it names the place in the
 * application, which chooses the server's tools and instructions for it; nested components may each say their part.
 *
 * The address is read when a message is sent, so it is right however the application navigates.
 *
 * @example
 * usePageContext();
 * usePageContext("Discover", ({ _a }) => ({ query: _a && decode(_a).query }));
 * usePageContext({ page: "discover", tab: "logs", scope: { index: "42" } });
 */
export function usePageContext(context?: PageContext): void;
export function usePageContext(description: string, convert: ConvertUrlState): void;
export function usePageContext(first: PageContext | string = {}, second?: ConvertUrlState): void {
  const { client } = useAssistantContext("usePageContext");
  const context = typeof first === "string" ? { description: first, convert: second } : first;
  const { description = DESCRIPTION, source } = context;
  const id = useContextId();
  const latest = useLatest(context.convert);

  useRegistrationEffect(() => {
    const value = () => readAddress(latest.current);
    return client.registerContext({ id, description, value, source, kind: "page" });
  }, [client, id, description, source, latest]);

  usePlace(client, context);
}

/** Says its part of the place while the component is mounted. */
function usePlace(client: PagesideClient, { page, tab, subtab, scope }: PageContext): void {
  const scopeKey = JSON.stringify(scope) as string | undefined;
  const latestScope = useLatest(scope);
  useRegistrationEffect(() => {
    if (page === undefined && tab === undefined && subtab === undefined && scopeKey === undefined) return;
    return client.registerPlace({ page, tab, subtab, scope: latestScope.current });
    // Compared by content: a scope written in the component is another object with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [client, page, tab, subtab, scopeKey]);
}

function readAddress(convert: ConvertUrlState | undefined): unknown {
  const url = new URL(window.location.href);
  const [hashPath = "", ...rest] = url.hash.split("?");
  const hashQuery = rest.join("?"); // values may have question marks of their own
  const urlState: UrlState = Object.fromEntries([...url.searchParams, ...new URLSearchParams(hashQuery)]);
  if (convert) return convert(urlState, url);
  return { path: url.pathname, ...(hashPath && { hash: hashPath }), ...urlStateIfAny(urlState) };
}

function urlStateIfAny(urlState: UrlState): { parameters?: UrlState } {
  return Object.keys(urlState).length > 0 ? { parameters: urlState } : {};
}
