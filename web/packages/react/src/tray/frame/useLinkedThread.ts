import type { PagesideClient } from "@pageside/core";
import { useEffect } from "react";

/** The parameter of a page's address that names a thread to open. The inspector links with it. */
const PARAMETER = "pageside-thread";

/**
 * Opens the thread that the page's address names, and the tray with it. The parameter is removed,
 * so that a reload shows the thread that is open by then.
 */
export function useLinkedThread(client: PagesideClient, open: () => void): void {
  useEffect(() => {
    const url = new URL(location.href);
    const threadId = url.searchParams.get(PARAMETER);
    if (!threadId || client.identity.direct) return;
    url.searchParams.delete(PARAMETER);
    history.replaceState(history.state, "", url);
    void client.openThread(threadId);
    open();
  }, [client, open]);
}
