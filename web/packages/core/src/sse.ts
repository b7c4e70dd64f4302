/** Server-sent events, for clients of other protocols than AG-UI. */
export { readSse } from "./protocol/sse.js";
export type { SseEvent } from "./protocol/sse.js";
