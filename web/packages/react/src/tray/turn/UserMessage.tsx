import { memo } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { SparkIcon } from "../../ui/icons.js";

/** What the user wrote. */
export const UserMessage = memo(function UserMessage({ text }: { text: string }) {
  const labels = useLabels();
  return (
    <>
      <span className="ps-sr-only">{labels.you}: </span>
      <p className="ps-bubble" dir="auto">
        {text}
      </p>
    </>
  );
});

/** The mark of the assistant. */
export function AnswerMark() {
  const labels = useLabels();
  return (
    <span className="ps-mark" role="img" aria-label={labels.assistant}>
      <SparkIcon />
    </span>
  );
}
