import { useEffect, useState } from "react";
import { messageOf } from "../ui/text.ts";
import { createCaller } from "./http.ts";

/** A model that the server knows, and whether it is usable. */
interface ModelChoice {
  name: string;
  label: string;
  available: boolean;
  /** What it takes to use it, if it is not usable. */
  why?: string;
}

/** The server's model, and the ones it could have. */
export interface Settings {
  current: string;
  models: readonly ModelChoice[];
  error?: string;
  choose(model: string): Promise<void>;
}

const call = createCaller("/demo");

/** The server's settings; `current` is empty until they are loaded. */
export function useSettings(): Settings {
  const [state, setState] = useState<Omit<Settings, "choose">>({ current: "", models: [] });
  const update = (answer: Promise<Omit<Settings, "choose">>) =>
    answer.then(setState, (error: unknown) => setState((was) => ({ ...was, error: messageOf(error) })));
  useEffect(() => void update(call("/settings")), []);
  return { ...state, choose: (model) => update(call("/settings", undefined, { model }, "PUT")) };
}
