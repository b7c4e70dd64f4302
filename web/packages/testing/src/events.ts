/** AG-UI events, and the frames in which they travel. */
import type { RunAgentInput } from "@ag-ui/core";
import type { ContextDetail, Place } from "@pageside/core";
import type { AgUiEvent } from "@pageside/core/events";

export type { AgUiEvent };

/** What a client sends to begin a run. */
export interface RunInput extends Omit<RunAgentInput, "forwardedProps"> {
  forwardedProps: { pageside: Partial<Place> & { context: ContextDetail[]; replaces?: string; continues?: string } };
}

/** An event as a server sends it. */
export function frameOf(id: string, event: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The event of a frame; undefined if it has none, as a comment. */
export function eventOf(frame: string): AgUiEvent | undefined {
  const data = frame
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.replace(/^data: ?/, ""))
    .join("\n");
  return data === "" ? undefined : (JSON.parse(data) as AgUiEvent);
}

/** The position of a frame: what a client sends back as `Last-Event-ID`. */
export function idOf(frame: string): string | undefined {
  return /^id: ?(.*)$/m.exec(frame)?.[1];
}
