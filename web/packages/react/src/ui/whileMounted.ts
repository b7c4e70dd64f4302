/**
 * For effects that read something: hands on what a promise brings, or why it failed, unless the
 * returned function has been called by then.
 */
export function whileMounted<T>(
  promise: Promise<T>,
  show: (value: T) => void,
  fail: (cause: unknown) => void,
): () => void {
  let isOver = false;
  promise.then(
    (value) => isOver || show(value),
    (cause: unknown) => isOver || fail(cause),
  );
  return () => {
    isOver = true;
  };
}
