/** Loads what hooks need only once something is asked, selected or cut, or in an older browser. */
export const loadHooksPart = () => import("./part.js");
