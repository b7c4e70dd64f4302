/** The parts that are fetched when they are needed. */

/**
 * What runs are made of: fetched when somebody looks at the thread, before a first question is
 * asked.
 */
export const loadEngine = () => import("./thread/engine.js");

/** What goes beyond an answer in text, in one piece: fetched while the first run is on its way. */
export const loadLater = () => import("./thread/ops.js");

/** Runs tools. Fetched when a run offers tools to the model. */
export const loadRunner = () => import("./tools/runner.js");

export type Engine = Awaited<ReturnType<typeof loadEngine>>;
export type Later = Awaited<ReturnType<typeof loadLater>>;
