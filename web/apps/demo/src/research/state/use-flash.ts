import { useState } from "react";

/**
 * A mark that changes with the value, but not when the page is first shown: what the assistant
 * changed draws the eye once.
 */
export function useFlash(value: unknown): "a" | "b" | undefined {
  const text = JSON.stringify(value);
  const [seen, setSeen] = useState<{ text: string; mark?: "a" | "b" }>({ text });
  if (seen.text !== text) {
    const next = { text, mark: seen.mark === "a" ? ("b" as const) : ("a" as const) };
    setSeen(next);
    return next.mark;
  }
  return seen.mark;
}
