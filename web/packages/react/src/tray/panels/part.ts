/** What opens over the conversation: loaded in one piece. See `later.ts`. */
export { Panels } from "./Panels.js";
export { TitleField } from "./RenameField.js";
