import type { ReactNode } from "react";
import { AskButton } from "../../components/AskButton.tsx";
import { Icon, type IconName } from "../../components/Icon.tsx";
import { HttpError } from "../../shell/http.ts";
import "../../components/states.css";

/** In the place of a page that is being loaded, or could not be. */
export function PageState({ what, error, retry }: { what: string; error: Error | undefined; retry(): void }) {
  return (
    <>
      <h1 className="sr-only">{what.charAt(0).toUpperCase() + what.slice(1)}</h1>
      <div className="panel" aria-busy={!error}>
        {error ? <Failed what={what} error={error} retry={retry} /> : <RowsSkeleton />}
      </div>
    </>
  );
}

/** It could not be loaded. */
export function Failed({ what, error, retry }: { what: string; error: Error; retry?: () => void }) {
  const gone = error instanceof HttpError && error.status === 404;
  return (
    <div className="state" role="alert">
      <span className="state-icon" data-tone="bad">
        <Icon name="alert" size={20} />
      </span>
      <h2 className="state-title">{gone ? `There is no such ${what}` : `The ${what} could not be loaded`}</h2>
      <p className="state-text">{error.message}</p>
      {retry && !gone && (
        <div className="state-actions">
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

interface EmptyProps {
  icon?: IconName;
  title: string;
  text?: string;
  /** Something to ask the assistant about it. */
  ask?: string;
  children?: ReactNode;
}

export function Empty({ icon = "search", title, text, ask, children }: EmptyProps) {
  return (
    <div className="state">
      <span className="state-icon">
        <Icon name={icon} size={20} />
      </span>
      <h2 className="state-title">{title}</h2>
      {text && <p className="state-text">{text}</p>}
      <div className="state-actions">
        {children}
        {ask && <AskButton question={ask}>Ask the assistant</AskButton>}
      </div>
    </div>
  );
}

/** In the place of rows that are being loaded. */
export function RowsSkeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className="rows-skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index}>
          <i style={{ width: `${52 + ((index * 17) % 36)}%` }} />
          <i style={{ width: `${24 + ((index * 11) % 20)}%` }} />
        </div>
      ))}
    </div>
  );
}
