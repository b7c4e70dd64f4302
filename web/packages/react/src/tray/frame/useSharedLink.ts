import type { PagesideClient } from "@pageside/core";
import { useEffect, useRef, useState } from "react";
import type { TrayPanel } from "../types.js";

/** The parameter of a page's address with the token of a shared thread. */
const PARAMETER = "pageside-shared";

/** The address of this page that opens a shared thread in the tray. */
export function sharedLink(token: string): string {
  const url = new URL(location.href);
  url.searchParams.set(PARAMETER, token);
  return url.href;
}

/**
 * Shows the shared thread that the page's address names, and opens the tray for it. The parameter
 * stays until the thread is closed, so that a reload shows it again. Returns the token.
 */
export function useSharedLink(
  client: PagesideClient,
  panel: TrayPanel | undefined,
  open: () => void,
  showPanel: (panel: TrayPanel) => void,
): string | undefined {
  const [token] = useState(tokenOfPage);
  const wasShown = useRef(false);
  useEffect(() => {
    if (!token || client.identity.direct) return;
    open();
    showPanel("shared");
  }, [client, token, open, showPanel]);
  useEffect(() => {
    if (wasShown.current && panel !== "shared") forgetLink();
    wasShown.current = panel === "shared";
  }, [panel]);
  return token;
}

/** There is no page where React renders on a server. */
const tokenOfPage = () =>
  (typeof location !== "undefined" && new URL(location.href).searchParams.get(PARAMETER)) || undefined;

function forgetLink(): void {
  const url = new URL(location.href);
  url.searchParams.delete(PARAMETER);
  history.replaceState(history.state, "", url);
}
