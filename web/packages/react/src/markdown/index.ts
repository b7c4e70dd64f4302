export { Markdown } from "./Markdown.js";
export type { MarkdownProps } from "./Markdown.js";
export { toPlainText } from "./plain.js";
export { useCodeAction } from "./codeActions.js";
export type { CodeAction } from "./codeActions.js";
