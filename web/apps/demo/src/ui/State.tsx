import type { ReactNode } from "react";
import { HttpError } from "../shell/http.ts";
import { AskButton, Button } from "./Button.tsx";
import { Icon, type IconName } from "./Icon.tsx";

interface StateProps {
  icon?: IconName;
  title: string;
  text?: string;
  /** Something is wrong. */
  bad?: boolean;
  /** Something to ask the assistant about it. */
  ask?: string;
  /** What can be done about it. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A message where there is nothing to show, with what can be done about it. */
export function State({
  bad = false,
  icon = bad ? "alert" : "search",
  title,
  text,
  ask,
  actions,
  children,
}: StateProps) {
  return (
    <div className="state">
      <span className="state-icon" data-bad={bad || undefined}>
        <Icon name={icon} size={20} />
      </span>
      <p className="state-title">{title}</p>
      {text && <p className="state-text">{text}</p>}
      {children}
      <div className="state-actions">
        {actions}
        {ask && <AskButton question={ask}>Ask the assistant</AskButton>}
      </div>
    </div>
  );
}

/** Something could not be loaded. */
export function Failed({ what, error, retry }: { what: string; error: Error; retry(): void }) {
  const gone = error instanceof HttpError && error.status === 404;
  return (
    <div role="alert">
      <State
        bad
        title={gone ? `There is no such ${what}` : `The ${what} could not be loaded`}
        text={error.message}
        actions={!gone && <Button onClick={retry}>Try again</Button>}
      />
    </div>
  );
}

/** Shown instead of a page that is being loaded, or could not be. */
export function PageState({ what, error, retry }: { what: string; error: Error | undefined; retry(): void }) {
  return (
    <>
      <title>{`The ${what} · Research`}</title>
      <h1 className="sr-only">The {what}</h1>
      <div className="panel" aria-busy={!error}>
        {error ? <Failed what={what} error={error} retry={retry} /> : <Loading />}
      </div>
    </>
  );
}

/** Shown instead of what is being loaded. */
export const Loading = () => <p className="state muted">Loading…</p>;
