/** The transcript, with markdown: loaded in one piece. See `later.tsx`. */
export { PageQuestions } from "../approvals/questions.js";
export { Words } from "../suggestions/Chips.js";
export { toPlainText } from "../../markdown/plain.js";
export { ToolCall } from "../tools/ToolCall.js";
export { ToolRow } from "../tools/ToolRow.js";
export { TurnView } from "../turn/TurnView.js";
export { ErrorDetails } from "./ErrorDetails.js";
export { TurnList } from "./TurnList.js";

/** Loads the next part from here, so that what both use is in this one. */
export const loadComposer = () => import("../composer/part.js");
