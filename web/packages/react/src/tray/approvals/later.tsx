/** What is loaded when somebody is asked: the cards of approvals and questions. */
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

/** Data for reading. */
export const KeyValues = questionsPart.component((part) => part.KeyValues);

/** Of a card with its title and its buttons, and of what else there is, as the styles have it. */
const PIXELS = { frame: 80, box: 24, argument: 22, field: 64, summary: 26 };
const MOST_ARGUMENTS = 10;

/** Keeps the room of a card, so that nothing jumps when it is there. */
function Outline({ question }: QuestionCardProps) {
  const { kind, args, answer, summary } = question;
  const count = Math.min(MOST_ARGUMENTS, Object.keys(args ?? {}).length);
  const form = kind === "approval" ? PIXELS.box + count * PIXELS.argument : PIXELS.field;
  const minBlockSize = PIXELS.frame + (summary ? PIXELS.summary : 0) + (answer ? 0 : form);
  return <div className={lookOf(question)} style={{ minBlockSize }} aria-busy />;
}
