/** Loads what hooks need only once something is asked, selected or cut. */
export const loadHooksPart = () => import("./part.js");
