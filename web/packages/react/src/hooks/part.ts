/**
 * What hooks need only once something is asked, selected or cut, or in an older browser: loaded in
 * one piece.
 */
export { cut } from "./cut.js";
export { watchHistory } from "./history.js";
export { watchPlace } from "./placeSuggestions.js";
export { suggesting } from "./suggesting.js";
export { watchSelection } from "./textSelection.js";
