export type * from "./types.js";
export type * from "./types-api.js";
export { createPagesideClient } from "./client.js";
