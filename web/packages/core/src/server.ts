/** What not every page asks of a Pageside server. */
export { disclosureOf } from "./thread/disclosure.js";
export type { Destination, DisclosedModel, DisclosedTool, Disclosure, ModelUse } from "./thread/disclosure.js";
export { listShares, readShared, revokeShare, shareThread } from "./thread/shares.js";
export type { NewThreadShare, SharedThread, ThreadShare } from "./thread/shares.js";
