/**
 * Loads what runs tools and UI actions, with the validator of their arguments. To be called when
 * the first one is offered: a page that only shows the assistant does not pay for it.
 */
export const loadRunning = () => import("./running.js");
