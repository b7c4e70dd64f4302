/**
 * Loads what draws turns. It is most of the tray, and an empty conversation does not need it: it is
 * loaded when the user is about to ask.
 */
import { useLabels } from "../../labels/useLabels.js";
import { lazyPart } from "../../ui/lazyPart.js";
import { usePreload } from "../../ui/usePreload.js";
import { AnswerMark, UserMessage } from "../turn/UserMessage.js";
import type { TurnListProps } from "./TurnList.js";

const loadMarkdown = () => import("../../markdown/index.js");

/** The turns of a thread, or an outline of them until their part is loaded. */
export const TurnList = lazyPart<TurnListProps>(
  // Both at once: the browser would find the second only in the first.
  () => Promise.all([import("./TurnList.js"), loadMarkdown()]).then(([module]) => module.TurnList),
  (props) => <Outline {...props} />,
);

/** Loads it while the browser is idle, or at once. A failure is tried again when it is needed. */
export const usePreloadedTurns = (now: boolean): void => usePreload(TurnList.preload, now);

/** The visible text of markdown, in one line. */
export const toPlainText = (markdown: string): Promise<string> =>
  loadMarkdown().then(
    (module) => module.toPlainText(markdown),
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
        <div className="ps-answer-body">
          <p className="ps-thinking">
            <span className="ps-shimmer">{labels.thinking}</span>
          </p>
          <div className="ps-actions" />
        </div>
      </div>
    </div>
  );
}

/** Stands where turns will stand. */
export function Skeleton() {
  const labels = useLabels();
  return (
    <div className="ps-skeleton ps-shimmer" role="img" aria-label={labels.loading}>
      <span />
      <span />
      <span />
    </div>
  );
}
