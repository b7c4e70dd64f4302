export type * from "./types.js";
export { createPagesideClient } from "./client.js";
