/** What is loaded when somebody is asked: the cards of approvals and questions. */
import type { Question } from "@pageside/core";
import { lazyPart } from "../../ui/lazyPart.js";
import { lookOf } from "./question.js";
import type { QuestionCardProps } from "./QuestionCard.js";

/** The cards. */
export const questionsPart = lazyPart(() => import("./part.js"));

/** Something that waits for the user, or how it was answered. */
export const QuestionCard = questionsPart.component(
  (part) => part.QuestionCard,
  (props) => <Outline {...props} />,
);

/** All of a value, with whatever its texts hide. */
export const ArgumentValue = questionsPart.component((part) => part.ArgumentValue);

/** The height of a card with its title and its buttons, in pixels, as the styles have it. */
const FRAME = 80;
/** Of what else there is: the box of arguments and each of them, a field, the summary. */
const BOX = 24;
const ARGUMENT = 22;
const MOST_ARGUMENTS = 10;
const FIELD = 64;
const SUMMARY = 26;

/** Keeps the room of a card, so that nothing jumps when it is there. */
function Outline({ question }: QuestionCardProps) {
  return <div className={lookOf(question)} style={{ minBlockSize: heightOf(question) }} aria-busy />;
}

function heightOf({ kind, args, answer, summary }: Question): number {
  const count = Math.min(MOST_ARGUMENTS, Object.keys(args ?? {}).length);
  const form = kind === "approval" ? BOX + count * ARGUMENT : FIELD;
  return FRAME + (summary ? SUMMARY : 0) + (answer ? 0 : form);
}
