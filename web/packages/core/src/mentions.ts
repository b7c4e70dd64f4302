/** Finding mentions of context entries in a text, as `send()` does. */
export { findMentions, type Mention } from "./page/mentions.js";
