/** What the server lets the user do, and how much of it is used. */

/** A quota of the day. All amounts are in tokens or US dollars. */
export interface Quota {
  /** Whose it is: the user's own, or all of the organisation's. */
  scope: "user" | "tenant";
  unit: "tokens" | "dollars";
  used: number;
  /** What the runs that are live may still use. */
  held: number;
  left: number;
  limit: number;
  /** When the next day begins. */
  resetsAt: string;
}

/** The user's limits. What has no limit is left out. */
export interface UserLimits {
  /** Runs that are live or wait, and how many may be at once. */
  runs: { used: number; limit?: number };
  quotas: Quota[];
  /** Requests, by kind. */
  requests: Record<string, { perMinute: number; burst: number; left: number }>;
  /** What the model calls of one run may use. */
  run: { tokens?: number; dollars?: number };
}
