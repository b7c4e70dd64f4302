/** AG-UI events, and what they make of a thread, for whatever stands in for a server. */
export { fold } from "./protocol/fold.js";
export type { Transcript } from "./protocol/fold.js";
export { insertToolMessage, toolCallsOf } from "./protocol/messages.js";
export type { AgUiEvent } from "./protocol/events.js";
