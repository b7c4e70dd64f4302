import type { ClientError } from "@pageside/core";
import { useState } from "react";
import { useLabels } from "../../labels/useLabels.js";
import { Button } from "../../ui/Button.js";
import { AlertIcon, RetryIcon } from "../../ui/icons.js";
import { ErrorDetails } from "./later.js";
import { useToggle } from "./useFollow.js";

/** The props of `<ErrorCard>`. */
export interface ErrorCardProps {
  /** What went wrong. */
  error: ClientError;
  /** Is a question the last message? Then it may not have reached the server. */
  asked?: boolean;
  /** The user tries again. */
  onRetry: () => void;
  /** The user has read it. */
  onDismiss: () => void;
}

/** Codes of errors after which the server has the question. */
const ARRIVED = /^(llm_|interrupted$|protocol$)/;

const hasArrived = ({ ofRun, code }: ClientError) => ofRun === true || ARRIVED.test(code);

/** Milliseconds that need no time of day. */
const SOON = 60_000;

/** What went wrong, and what can be done about it. */
export function ErrorCard({ error, asked = false, onRetry, onDismiss }: ErrorCardProps) {
  const labels = useLabels();
  const [open, toggle] = useToggle();
  const [now] = useState(Date.now);
  const { retryAt = 0 } = error;
  return (
    <div className="ps-error" role="alert">
      <AlertIcon />
      <div className="ps-grow ps-text-md">
        <p className="ps-error-title">{asked && !hasArrived(error) ? labels.notSent : labels.errorTitle}</p>
        <p className="ps-error-text">{labels.errorSentence(error.code) ?? error.message}</p>
        {retryAt - now > SOON && <p className="ps-error-text">{labels.tryAgainAt(new Date(retryAt), new Date(now))}</p>}
        <div className="ps-error-actions ps-tight ps-flow">
          {error.retryable && (
            <Button onClick={onRetry}>
              <RetryIcon />
              {labels.retry}
            </Button>
          )}
          <Button look="ghost" aria-expanded={open} onClick={toggle}>
            {labels.details}
          </Button>
          <Button look="ghost" onClick={onDismiss}>
            {labels.dismiss}
          </Button>
        </div>
        {open && <ErrorDetails error={error} />}
      </div>
    </div>
  );
}
