import { useEffect, useState, type ComponentType, type FunctionComponent, type ReactNode } from "react";
import { useLabels } from "../labels/useLabels.js";

/** A part of the tray in a file of its own. */
export interface LazyPart<Module> {
  /** Loads it; rejects where that fails, and is then tried again. */
  load: () => Promise<Module>;
  /** Loads it before it is drawn. A failure shows when something of it is drawn. */
  preload: () => void;
  /** A component of it. Until it is loaded, the placeholder is drawn. */
  component: <Props extends object>(
    pick: (module: Module) => ComponentType<Props>,
    placeholder?: (props: Props) => ReactNode,
  ) => FunctionComponent<Props>;
}

/**
 * A part that is loaded when something of it is first drawn, or before. Unlike those of
 * `React.lazy`, its components need no boundary, can be tried again after a failure, and are drawn
 * at once when the part is loaded.
 */
export function lazyPart<Module>(load: () => Promise<Module>): LazyPart<Module> {
  let loaded: Module | undefined;
  const loadOnce = async () => (loaded ??= await load());
  const preload = () => void loadOnce().catch(() => undefined);
  return { load: loadOnce, preload, component };

  function component<Props extends object>(
    pick: (module: Module) => ComponentType<Props>,
    placeholder: (props: Props) => ReactNode = () => null,
  ): FunctionComponent<Props> {
    return function Lazy(props) {
      const { isFailed, retry } = useLoaded();
      if (isFailed) return <Failed onRetry={retry} />;
      if (!loaded) return placeholder(props);
      const Part = pick(loaded);
      return <Part {...props} />;
    };
  }

  function useLoaded() {
    const [attempt, setAttempt] = useState(0);
    const [state, setState] = useState<"loading" | "loaded" | "failed">(loaded ? "loaded" : "loading");
    useEffect(() => {
      if (state !== "loading") return;
      let isLeft = false;
      const settle = (next: "loaded" | "failed") => isLeft || setState(next);
      loadOnce().then(
        () => settle("loaded"),
        () => settle("failed"),
      );
      return () => void (isLeft = true);
    }, [state, attempt]);
    const retry = () => {
      setState("loading");
      setAttempt(attempt + 1);
    };
    return { isFailed: state === "failed", retry };
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
