import type { ClientError } from "@pageside/core";
import { useMessageLabels } from "../../labels/messages.js";
import { CopyButton } from "../../ui/CopyButton.js";

/** The details of an error, for debugging. */
export function ErrorDetails({ error }: { error: ClientError }) {
  const labels = useMessageLabels();
  const text = [`${error.code}: ${error.message}`, error.details].filter(Boolean).join("\n");
  return (
    <div className="ps-error-details">
      <pre className="ps-json ps-grow" tabIndex={0} aria-label={labels.details}>
        {text}
      </pre>
      <CopyButton text={text} label={labels.copyDetails} />
    </div>
  );
}
