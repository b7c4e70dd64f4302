/** What opens over the conversation: loaded in one piece. See `later.ts`. */
export { CommandQuestion } from "../composer/CommandQuestion.js";
export { Help } from "../composer/Help.js";
export { exportThread } from "./export.js";
export { Menu } from "./Menu.js";
export { Panels } from "./Panels.js";
export { TitleField } from "./RenameField.js";
