/** What hooks need only once something is asked, selected or cut: loaded in one piece. */
export { watchPlace } from "./placeSuggestions.js";
export { redacted, shape } from "./shaping.js";
export { suggesting } from "./suggesting.js";
export { watchSelection } from "./textSelection.js";
