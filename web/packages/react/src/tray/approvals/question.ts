import type { Question } from "@pageside/core";

/** Among the open arguments: the tool is allowed, whatever its arguments. */
export const ANY_ARGUMENTS = "*";

/** Whether a question is asked beside the conversation: no call of the model started it. */
export const isOfPage = ({ from }: Pick<Question, "from">) => from === "action" || from === "server";
