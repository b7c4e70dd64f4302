import type { PagesideClient } from "@pageside/core";
import { useSyncExternalStore } from "react";
import { allowancesOf, type Allowances } from "./allowances.js";

/** What the user has allowed. Renders again when that changes. */
export function useAllowances(client: PagesideClient): Allowances {
  const allowances = allowancesOf(client);
  useSyncExternalStore(allowances.subscribe, allowances.all, allowances.all);
  return allowances;
}
