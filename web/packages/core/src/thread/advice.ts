/** What a developer is told in the console. Pages that are served from elsewhere do not load it. */
export { remindOfEffects } from "../tools/undeclared.js";
export { warnOfMistakes } from "./mistakes.js";
