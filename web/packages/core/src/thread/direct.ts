/** An agent that the page asks itself, without a Pageside server. */
import type { Context, ResumeEntry, Tool } from "@ag-ui/core";
import type { Place } from "../page/types.js";
import type { AgUiEvent } from "../protocol/events.js";
import type { Message } from "../protocol/types.js";
import type { View } from "./thread.js";

/** The input of a run. */
export interface RunInput {
  threadId: string;
  runId: string;
  protocolVersion: string;
  state: unknown;
  messages: readonly Message[];
  tools: readonly Tool[];
  context: readonly Context[];
  forwardedProps: { pageside: Partial<Place> };
  resume?: readonly ResumeEntry[];
}

/** What a client does where it holds the thread itself. */
export interface Direct {
  /** Whether calls of tools that change something wait for the user. */
  readonly asks: boolean;
  /** What the agent is sent: the run's input, with all messages of the thread. */
  bodyOf(input: RunInput): object;
  /** Makes what reads the answer to an input: see `Sink.read`. */
  reader(input: RunInput): (event: AgUiEvent) => readonly AgUiEvent[];
  /** Keeps the thread, after each run. */
  keep(view: View): void;
}
