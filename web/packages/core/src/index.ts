export type * from "./types.js";
export type * from "./types-api.js";
export type * from "./types-page.js";
export type * from "./types-schema.js";
export { createPagesideClient } from "./client.js";
export { commandsOf } from "./commands.js";
export { pluginsOf, registerPlugin } from "./plugins.js";
export { nextOrder } from "./registry.js";
export { uiActionsOf } from "./ui-actions.js";
