import { useCallback, useEffect, useState } from "react";
import { createCaller, HttpError } from "./http.ts";

/** A model that the server knows, and whether it can be used as the server was started. */
export interface ModelChoice {
  name: string;
  label: string;
  available: boolean;
  /** What it takes to use it, where it cannot be used. */
  why?: string;
}

export interface Settings {
  status: "loading" | "ready" | "failed";
  current: string;
  scripted: boolean;
  /** Empty where this server has no choice to offer. */
  models: readonly ModelChoice[];
  error?: string;
  choose(name: string): Promise<void>;
}

interface SettingsAnswer {
  models: ModelChoice[];
  current: string;
}

const call = createCaller("/demo");
const initial = { status: "loading" as Settings["status"], current: "", models: [] as readonly ModelChoice[] };

/** The server's model, and the ones it could be. */
export function useSettings(): Settings {
  const [state, setState] = useState<typeof initial & { error?: string }>(initial);
  useEffect(() => {
    const gone = new AbortController();
    load(gone.signal).then(
      (answer) => setState({ status: "ready", ...answer }),
      (error: Error) => gone.signal.aborted || setState({ ...initial, status: "failed", error: error.message }),
    );
    return () => gone.abort();
  }, []);
  const choose = useCallback(async (model: string) => {
    try {
      const answer = await call<SettingsAnswer>("/settings", { method: "PUT", body: { model } });
      setState({ status: "ready", ...answer });
    } catch (error) {
      setState((was) => ({ ...was, error: (error as Error).message }));
    }
  }, []);
  return { ...state, scripted: state.current.startsWith("script/"), choose };
}

/** A server without settings still says which model it has. */
async function load(signal: AbortSignal): Promise<SettingsAnswer> {
  try {
    return await call<SettingsAnswer>("/settings", { signal });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404) throw error;
    const { model } = await call<{ model: { name: string } }>("/discover/info", { signal });
    return { models: [], current: model.name };
  }
}
