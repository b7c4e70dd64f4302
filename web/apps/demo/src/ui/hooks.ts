import { useEffect, useReducer, useRef, useState } from "react";

/** What `useLoad` has loaded so far. */
export interface Loaded<T> {
  /** What was loaded last; while `loading`, it may belong to an earlier key. */
  data: T | undefined;
  /** Why there is no data for this key. */
  error: Error | undefined;
  loading: boolean;
  reload(): void;
}

/** Loads what a key names, again when the key changes. Answers that come late are dropped. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key?: string; data?: T; error?: Error }>({});
  const [attempt, reload] = useReducer((attempts: number) => attempts + 1, 0);
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  const full = `${attempt} ${key}`;
  useEffect(() => {
    const gone = new AbortController();
    latest.current(gone.signal).then(
      (data) => gone.signal.aborted || setState({ key: full, data }),
      (error: Error) => gone.signal.aborted || setState((was) => ({ key: full, data: was.data, error })),
    );
    return () => gone.abort();
  }, [full]);
  const fresh = state.key === full;
  return { data: state.data, error: fresh ? state.error : undefined, loading: !fresh, reload };
}

/**
 * The `data-flash` that highlights an element once when the value changes. Two names alternate,
 * because an animation restarts only under another name.
 */
export function useFlash(value: unknown): "a" | "b" | undefined {
  const text = JSON.stringify(value);
  const [seen, setSeen] = useState<{ text: string; mark?: "a" | "b" }>({ text });
  if (seen.text === text) return seen.mark;
  const mark = seen.mark === "a" ? "b" : "a";
  setSeen({ text, mark });
  return mark;
}

/** The value, once it has not changed for a quarter of a second. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 250);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
