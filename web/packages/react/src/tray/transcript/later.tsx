/**
 * What is loaded when the user is about to ask: turns and markdown, most of the tray, which an
 * empty conversation does not need.
 */
import { useLabels } from "../../labels/useLabels.js";
import { lazyPart } from "../../ui/lazyPart.js";
import { AnswerMark, UserMessage } from "../turn/UserMessage.js";
import { Skeleton } from "./Skeleton.js";
import type { TurnListProps } from "./TurnList.js";

/** The transcript, with markdown. */
export const transcriptPart = lazyPart(() => import("./part.js"));

/** The turns of a thread, or an outline of them until their part is loaded. */
export const TurnList = transcriptPart.component(
  (part) => part.TurnList,
  (props) => <Outline {...props} />,
);

/** A question and its answer. It renders again only when something in it changed. */
export const TurnView = transcriptPart.component((part) => part.TurnView);

/**
 * A tool call as its action's `render` draws it; as a row where there is no `render`, or where it
 * draws nothing or throws.
 */
export const ToolCall = transcriptPart.component((part) => part.ToolCall);

/** A tool call as one line, which opens to its arguments and its result. */
export const ToolRow = transcriptPart.component((part) => part.ToolRow);

/** What was said of an error. */
export const ErrorDetails = transcriptPart.component((part) => part.ErrorDetails);

/** The questions of actions, that no call of the model started. */
export const PageQuestions = transcriptPart.component((part) => part.PageQuestions);

/** The label of a suggestion, and the text that is sent if it differs. */
export const Words = transcriptPart.component((part) => part.Words);

/** The visible text of markdown, in one line. */
export const toPlainText = (markdown: string): Promise<string> =>
  transcriptPart.load().then(
    (part) => part.toPlainText(markdown),
    () => markdown,
  );

/** A first question as it will look, or a skeleton of a longer conversation. */
function Outline({ turns, busy }: TurnListProps) {
  const labels = useLabels();
  const [{ question } = {}, second] = turns;
  if (!busy || !question || second) return <Skeleton />;
  return (
    <div className="ps-turn" data-last>
      <div className="ps-question">
        <UserMessage text={question} />
      </div>
      <div className="ps-answer">
        <AnswerMark />
        <div className="ps-answer-body ps-stack ps-grow">
          <p className="ps-muted">
            <span className="ps-shimmer">{labels.thinking(false)}</span>
          </p>
          <div className="ps-actions" />
        </div>
      </div>
    </div>
  );
}
