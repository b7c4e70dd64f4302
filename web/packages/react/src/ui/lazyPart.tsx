import { Subscribable } from "@pageside/core";
import { useEffect, useReducer, useState, useSyncExternalStore } from "react";
import type { ComponentType, FunctionComponent, ReactNode } from "react";
import type { TrayLabels } from "../labels/types.js";
import { useLabels } from "../labels/useLabels.js";
import { Button } from "./Button.js";

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
  /** What waits for it in vain. A part that is loaded after it shares them. */
  failures: Failures;
}

/** A component whose part did not come. */
interface Failure {
  /** Those of its tray. */
  labels: TrayLabels;
  retry: () => void;
}

/** Of the components of one tray whose part did not come, the first says so for all. */
class Failures extends Subscribable {
  readonly #all = new Set<Failure>();

  add(failure: Failure): void {
    this.#all.add(failure);
    this.notify();
  }

  delete(failure: Failure): void {
    if (this.#all.delete(failure)) this.notify();
  }

  /** Those of a tray. */
  of(labels: TrayLabels): Failure[] {
    return [...this.#all].filter((failure) => failure.labels === labels);
  }
}

/**
 * A part that is loaded when something of it is first drawn, or before. Unlike those of
 * `React.lazy`, its components need no boundary, can be tried again after a failure, and are drawn
 * at once when the part is loaded.
 */
export function lazyPart<Module>(load: () => Promise<Module>, before?: LazyPart<unknown>): LazyPart<Module> {
  const failures = before?.failures ?? new Failures();
  let loaded: Module | undefined;
  let loading: Promise<Module> | undefined;
  const loadOnce = async () => {
    if (loaded) return loaded;
    loading ??= load().finally(() => (loading = undefined));
    loaded = await loading;
    failures.notify();
    return loaded;
  };
  const preload = () => void loadOnce().catch(() => undefined);
  return { load: loadOnce, preload, component, failures };

  function component<Props extends object>(
    pick: (module: Module) => ComponentType<Props>,
    placeholder: (props: Props) => ReactNode = () => null,
  ): FunctionComponent<Props> {
    return function Lazy(props) {
      const { state, retry } = useLoaded();
      if (state === "failed") return <Failed onRetry={retry} />;
      if (!loaded) return placeholder(props);
      const Part = pick(loaded);
      return <Part {...props} />;
    };
  }

  /** It has failed for the component that says so; for the others it is still to come. */
  function useLoaded() {
    const labels = useLabels();
    const [attempt, again] = useReducer((made: number) => made + 1, 0);
    const [failure] = useState<Failure>({ labels, retry: again });
    useEffect(() => {
      if (loaded) return;
      let isLeft = false;
      loadOnce().catch(() => isLeft || failures.add(failure));
      return () => {
        isLeft = true;
        failures.delete(failure);
      };
    }, [attempt, failure]);
    const read = () => (loaded ? "loaded" : failures.of(failure.labels)[0] === failure ? "failed" : "loading");
    const state = useSyncExternalStore<string>(failures.subscribe, read, () => "loading");
    const retry = () => failures.of(failure.labels).forEach((each) => each.retry());
    return { state, retry };
  }
}

/** A part may have no room of its own to fail in. */
const ROOM = { padding: "8px 16px" };

function Failed({ onRetry }: { onRetry: () => void }) {
  const labels = useLabels();
  return (
    <p className="ps-card-error" style={ROOM} role="alert">
      {labels.partFailed}{" "}
      <Button look="ghost" onClick={onRetry}>
        {labels.retry}
      </Button>
    </p>
  );
}
