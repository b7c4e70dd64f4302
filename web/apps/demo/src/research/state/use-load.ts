import { useCallback, useEffect, useReducer, useRef, useState } from "react";

export interface Loaded<T> {
  /** What was loaded last; while `loading`, it may belong to an earlier key. */
  data: T | undefined;
  /** Why there is no data for this key. */
  error: Error | undefined;
  loading: boolean;
  reload(): void;
}

interface State<T> {
  key: string | null;
  data?: T;
  error?: Error;
}

/**
 * Loads what a key names, again when the key changes. Answers that come late are dropped. With a
 * key of null nothing is loaded.
 */
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ key: null });
  const [attempt, again] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  const full = key === null ? null : `${attempt} ${key}`;

  useEffect(() => {
    if (full === null) return;
    const gone = new AbortController();
    latest.current(gone.signal).then(
      (data) => {
        if (!gone.signal.aborted) setState({ key: full, data });
      },
      (error: Error) => {
        if (!gone.signal.aborted) setState((was) => ({ key: full, data: was.data, error }));
      },
    );
    return () => gone.abort();
  }, [full]);

  const fresh = state.key === full;
  const reload = useCallback(() => again(), []);
  return { data: state.data, error: fresh ? state.error : undefined, loading: full !== null && !fresh, reload };
}
