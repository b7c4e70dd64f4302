/** Markdown as answers have it, for a chat of one's own. */
export { Markdown } from "./Markdown.js";
export type { MarkdownProps } from "./Markdown.js";
export { useCodeAction } from "./codeActions.js";
export type { CodeAction } from "./codeActions.js";
