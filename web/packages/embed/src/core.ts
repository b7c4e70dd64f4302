/**
 * `/pageside-core.js`: the core for pages without a build, which draw the conversation themselves.
 */
export * from "@pageside/core";
