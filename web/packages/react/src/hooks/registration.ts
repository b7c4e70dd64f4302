import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";

// On a server there is no layout, and React warns about the effect.
export const useRegistrationEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/** A ref that holds the value of the last committed render. */
export function useLatest<T>(value: T): RefObject<T> {
  const ref = useRef(value);
  useRegistrationEffect(() => {
    ref.current = value;
  });
  return ref;
}
