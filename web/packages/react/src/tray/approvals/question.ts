import type { Question } from "@pageside/core";

/** Among the open arguments: the tool is allowed, whatever its arguments. */
export const ANY_ARGUMENTS = "*";

/** The classes of a question's card. */
export const lookOf = (question: Pick<Question, "from">) =>
  `${isOfPage(question) ? "ps-queue" : "ps-card"} ps-interrupt`;

/** Whether a question is asked beside the conversation: no call of the model started it. */
export const isOfPage = ({ from }: Pick<Question, "from">) => from === "action" || from === "server";
