import type { ContextValue, PagesideClient, Place } from "@pageside/core";
import { useAssistantContext } from "../context.js";
import { useLatest, useLayoutEffect } from "./effects.js";
import { watchNavigation } from "./navigation.js";
import { DESCRIPTION, tellAddress } from "./pageAddress.js";
import { useContextId, useOrder, useSource } from "./registration.js";
import { hideInPath, hideSecrets } from "./secrets.js";

/**
 * The parameters in the address, by name: of the query, and of a query after the hash
 * (`#/discover?_a=…`).
 */
export type UrlState<Value = string> = Record<string, Value>;

/** Turns the address into what the assistant should know. Called when a message is sent. */
export type ConvertUrlState<Value = string> = (urlState: UrlState<Value>, url: URL) => ContextValue;

/** Reads one parameter of the address. */
export type DecodeUrlState<Value = unknown> = (value: string, name: string) => Value;

/** The user's place, and how to read the address. */
export interface PageContext<Value = string> extends Partial<Place> {
  /**
   * What the context is, in words.
   * @defaultValue `"Address of the page the user is on"`
   */
  description?: string;
  /**
   * What is sent of the address. `undefined` sends nothing.
   * @defaultValue path and parameters, without credentials
   */
  convert?: ConvertUrlState<Value>;
  /**
   * Reads each parameter before `convert`. `decodeRison` of `@pageside/context-provider/rison`
   * reads Rison (`_a=(…)`) and JSON, and leaves other text alone.
   * @defaultValue the text as it is
   */
  decode?: DecodeUrlState<Value>;
  /**
   * The component or plug-in it belongs to.
   * @defaultValue the plug-in around
   */
  source?: string;
}

type AnyPageContext = Omit<PageContext, "convert" | "decode"> & {
  convert?: ConvertUrlState<never>;
  decode?: DecodeUrlState;
};

/**
 * Tells the assistant where the user is. Without arguments it sends the address: path and
 * parameters, with credentials (`token`, `code`, `sig`, …) hidden. With `convert` it sends that
 * function's result. With `page` (and `tab`, `subtab`, `scope`) it names the place in the
 * application, which chooses the server's tools and instructions for it; nested components may each
 * say their part.
 *
 * Use it once at the top of an application that keeps its state in the address. The address is read
 * when a message is sent, so it is right however the application navigates. For state that is not
 * in the address there is `useDynamicContext`.
 *
 * @example
 * usePageContext();
 * usePageContext("Discover", ({ _a }) => ({ query: JSON.parse(_a ?? "{}").query }));
 * usePageContext({ page: "discover", tab: "logs", scope: { index: "42" } });
 */
export function usePageContext<Value = string>(context?: PageContext<Value>): void;
export function usePageContext(description: string, convert: ConvertUrlState): void;
export function usePageContext(first: AnyPageContext | string = {}, second?: ConvertUrlState<never>): void {
  const { client } = useAssistantContext("usePageContext");
  const context: AnyPageContext = typeof first === "string" ? { description: first, convert: second } : first;
  const { description } = context;
  const source = useSource(context.source);
  const id = useContextId();
  const order = useOrder();
  const latest = useLatest(context);
  const [converts, decodes] = [context.convert !== undefined, context.decode !== undefined];

  useLayoutEffect(() => {
    const read = () => readAddress(latest.current);
    if (converts) return client.registerContext({ id, description: description ?? DESCRIPTION, value: read, source, kind: "page" }); // prettier-ignore
    return tellAddress(client, { order, description, source, read: decodes ? read : undefined }, () => readAddress({}));
  }, [client, id, order, description, source, latest, converts, decodes]);

  useLayoutEffect(() => {
    const over = new AbortController();
    watchNavigation(client.pageChanged, over.signal);
    return () => over.abort();
  }, [client]);

  usePlace(client, context);
}

/** Registers its part of the place while the component is mounted. */
function usePlace(client: PagesideClient, { page, tab, subtab, scope }: Partial<Place>): void {
  const scopeKey: string | undefined = JSON.stringify(scope);
  const latestScope = useLatest(scope);
  useLayoutEffect(() => {
    if (page === undefined && tab === undefined && subtab === undefined && scopeKey === undefined) return;
    return client.registerPlace({ page, tab, subtab, scope: latestScope.current });
    // Compared by content: a scope written in the component is another object with every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [client, page, tab, subtab, scopeKey]);
}

function readAddress({ convert, decode }: AnyPageContext): ContextValue {
  const url = new URL(window.location.href);
  // "#/logs?_a=1", "#logs", "#token=1"
  const [, path, query] = /^(#[^?=&]*(?=\?|$))?#?\??(.*)$/s.exec(url.hash)!;
  const texts = [...url.searchParams, ...new URLSearchParams(query)];
  const urlState = Object.fromEntries(texts.map(([name, text]) => [name, decode ? decode(text, name) : text]));
  if (convert) return convert(urlState as UrlState<never>, url);
  return {
    path: hideInPath(url.pathname),
    ...(path && { hash: hideInPath(path) }),
    ...(texts.length > 0 && { parameters: hideSecrets(urlState) }),
  };
}
