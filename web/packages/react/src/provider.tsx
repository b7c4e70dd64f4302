import { createPagesideClient, type ClientOptions, type PagesideClient } from "@pageside/core";
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { createToolRenderers, type ToolRenderers } from "./hooks/tool-renderers.js";

/** What the hooks share: the client, how tool calls are drawn, and whether the tray is open. */
export interface AssistantContextValue {
  client: PagesideClient;
  renderers: ToolRenderers;
  isOpen: boolean;
  setOpen(open: boolean | ((open: boolean) => boolean)): void;
}

const AssistantContext = createContext<AssistantContextValue | undefined>(undefined);

export interface AssistantProviderProps extends ClientOptions {
  /** A client made by `createPagesideClient`, for instance one shared with code outside React. The other options are then unused. */
  client?: PagesideClient;
  /** Is the tray open at first? Default false. */
  defaultOpen?: boolean;
  children?: ReactNode;
}

/**
 * Gives the hooks and the tray below it one assistant. Put it once, near the root of the application, outside the
 * router, so that the conversation survives navigation.
 *
 * `url` and `agent` are read when the provider mounts (give it a `key` to start over with others); `headers` and
 * `fetch` may change at any time.
 *
 * @example
 * <AssistantProvider url="https://assistant.example.com" headers={() => ({ Authorization: `Bearer ${token()}` })}>
 *   <App />
 *   <AssistantTray />
 * </AssistantProvider>
 */
export function AssistantProvider({
  client: given,
  defaultOpen = false,
  children,
  ...options
}: AssistantProviderProps) {
  const [own, latest] = useOwnClient(options);
  const client = given ?? own;
  const [renderers] = useState(createToolRenderers);
  const [isOpen, setOpen] = useState(defaultOpen);

  useEffect(() => {
    latest.current = options;
  });

  const value = useMemo(() => ({ client, renderers, isOpen, setOpen }), [client, renderers, isOpen]);
  return <AssistantContext.Provider value={value}>{children}</AssistantContext.Provider>;
}

/** A client that lives as long as the component and always uses the headers and the fetch of the last render. */
function useOwnClient(options: ClientOptions): [PagesideClient, { current: ClientOptions }] {
  const [pair] = useState(() => {
    const latest = { current: options };
    const client = createPagesideClient({
      ...options,
      headers: () => readHeaders(latest.current.headers),
      fetch: (input, init) => (latest.current.fetch ?? fetch)(input, init),
    });
    return [client, latest] as [PagesideClient, { current: ClientOptions }];
  });
  return pair;
}

function readHeaders(headers: ClientOptions["headers"]): Record<string, string> {
  return (typeof headers === "function" ? headers() : headers) ?? {};
}

/** The value of the provider above. Throws a sentence that names the caller where there is none. */
export function useAssistantContext(caller = "useAssistantContext"): AssistantContextValue {
  const value = useContext(AssistantContext);
  if (!value) throw new Error(`${caller} must be used inside <AssistantProvider>.`);
  return value;
}
