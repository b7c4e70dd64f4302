/** What asks the user: loaded in one piece. See `later.tsx`. */
export { QuestionCard } from "./QuestionCard.js";
export { KeyValues } from "../../ui/KeyValues.js";
