import type { Address } from "../state/discover.ts";

/** The real address bar. */
export const browserAddress: Address = {
  read: () => location.search,
  push: (search) => history.pushState(null, "", location.pathname + search),
  replace: (search) => history.replaceState(null, "", location.pathname + search),
  onNavigate(listener) {
    addEventListener("popstate", listener);
    return () => removeEventListener("popstate", listener);
  },
};
