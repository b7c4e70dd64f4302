import { createPagesideClient, type ClientOptions, type PagesideClient } from "@pageside/core";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { AssistantContext, type AssistantContextValue, type SuggestedActionHandler } from "./context.js";
import type { PayloadHandler } from "./hooks/payloads.js";
import { createStacks } from "./hooks/stacks.js";
import { createTrayState } from "./hooks/trayState.js";
import { createSuggestionStore } from "./hooks/suggestionStore.js";
import type { ToolRender } from "./hooks/toolRenderers.js";

export { useAssistantContext, type AssistantContextValue } from "./context.js";

/** The props of `<AssistantProvider>`. */
export interface AssistantProviderProps extends ClientOptions {
  /**
   * A client from `createPagesideClient`, such as one shared with code outside React. Its creator
   * must destroy it. All other options are then unused, except `defaultOpen`.
   */
  client?: PagesideClient;
  /** Is the tray open at first? Default false. */
  defaultOpen?: boolean;
  /** The part of the application that uses the assistant. */
  children?: ReactNode;
}

/**
 * Gives the hooks and the tray below it one assistant. Put it once, near the root of the
 * application, outside the router, so that the conversation survives navigation.
 *
 * `url`, `agent` and `threadId` are read when the provider mounts (give it a `key` to start over
 * with others); `headers`, `getToken` and `fetch` may change with every render.
 *
 * @example
 * <AssistantProvider url="https://assistant.example.com" getToken={() => session.accessToken()}>
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
  const own = useOwnClient(options, given);
  const client = given ?? own;
  const [shared] = useState(() => createShared(defaultOpen));
  const value = useMemo<AssistantContextValue>(() => ({ client, ...shared }), [client, shared]);
  return <AssistantContext.Provider value={value}>{children}</AssistantContext.Provider>;
}

const createShared = (isOpen: boolean) => ({
  tray: createTrayState(isOpen),
  renderers: createStacks<ToolRender>(),
  payloads: createStacks<PayloadHandler>(),
  suggestedActions: createStacks<SuggestedActionHandler>(),
  suggestions: createSuggestionStore(),
});

/**
 * A client that lives as long as the component and uses the headers, the token and the fetch of its
 * last render.
 */
function useOwnClient(options: ClientOptions, given: PagesideClient | undefined): PagesideClient {
  const [{ client, latest: latestRef }, setOwn] = useState(() => createOwnClient(options));

  useEffect(() => {
    latestRef.current = options;
  });

  useEffect(() => {
    if (given) return;
    clearTimeout(latestRef.destroy); // StrictMode unmounts and mounts again
    // <Activity> also does, but later: a new client then loads the thread from the server.
    if (latestRef.destroyed) {
      const { threadId } = client.getSnapshot();
      return setOwn(createOwnClient({ ...latestRef.current, threadId }));
    }
    return () => {
      latestRef.destroy = setTimeout(() => {
        latestRef.destroyed = true;
        client.destroy();
      }, 0);
    };
  }, [client, given, latestRef]);

  return client;
}

interface Latest {
  current: ClientOptions;
  destroy?: ReturnType<typeof setTimeout>;
  destroyed?: boolean;
}

function createOwnClient(options: ClientOptions) {
  const latest: Latest = { current: options };
  const client = createPagesideClient({
    ...options,
    headers: () => {
      const { headers } = latest.current;
      return (typeof headers === "function" ? headers() : headers) ?? {};
    },
    ...(options.getToken && { getToken: (isRefused) => latest.current.getToken?.(isRefused) ?? "" }),
    fetch: (input, init) => (latest.current.fetch ?? fetch)(input, init),
  });
  return { client, latest };
}
