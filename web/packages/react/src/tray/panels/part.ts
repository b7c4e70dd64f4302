/** What opens over the conversation, and what waits for its turn: loaded in one piece. See `later.ts`. */
export { exportThread } from "./export.js";
export { Menu } from "./Menu.js";
export { Panels } from "./Panels.js";
export { Queue } from "../queue/Queue.js";
export { TitleField } from "./RenameField.js";
