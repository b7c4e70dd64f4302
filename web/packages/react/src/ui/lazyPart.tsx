import { useEffect, useState, type ComponentType, type FunctionComponent, type ReactNode } from "react";
import { useLabels } from "../labels/useLabels.js";

/** A part of the tray in a file of its own. */
type LazyPart<Props> = FunctionComponent<Props> & {
  /** Loads it before it is drawn. A failure shows when it is drawn. */
  preload: () => Promise<void>;
};

/**
 * A component that is loaded when it is first drawn, or before. Unlike `React.lazy` it needs no
 * boundary, can be tried again after a failure, and is drawn at once when it is loaded. Until then
 * the placeholder is drawn.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode | ((props: Props) => ReactNode) = null,
): LazyPart<Props> {
  let loaded: ComponentType<Props> | undefined;
  const preload = () =>
    load().then(
      (part) => void (loaded = part),
      () => {},
    );
  return Object.assign(LazyPart, { preload });

  function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    const [attempt, setAttempt] = useState(0);
    const [failed, setFailed] = useState(false);

    useEffect(() => {
      if (Part) return;
      let left = false;
      load().then(
        (part) => {
          loaded = part;
          if (!left) setPart(() => part);
        },
        () => left || setFailed(true),
      );
      return () => void (left = true);
    }, [Part, attempt]);

    if (Part) return <Part {...props} />;
    if (!failed) return typeof placeholder === "function" ? placeholder(props) : placeholder;
    return (
      <Failed
        onRetry={() => {
          setFailed(false);
          setAttempt(attempt + 1);
        }}
      />
    );
  }
}

/** A part may have no room of its own to fail in. */
const ROOM = { padding: "8px 16px" };

function Failed({ onRetry }: { onRetry: () => void }) {
  const labels = useLabels();
  return (
    <p className="ps-card-error" style={ROOM} role="alert">
      {labels.partFailed}{" "}
      <button type="button" className="ps-button ps-ghost" onClick={onRetry}>
        {labels.retry}
      </button>
    </p>
  );
}
