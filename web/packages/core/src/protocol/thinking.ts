/** The events THINKING_* of AG-UI 0.x, which have no ids, as REASONING_*. */
import { membersOf } from "../base/values.js";
import type { AgUiEvent } from "./events.js";

/** Reads the thinking of one run. */
export class Thoughts {
  readonly #runId: string;
  #spans = 0;
  #texts = 0;
  #span: string | undefined;
  #message: string | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** The events that one stands for; undefined if it is of any other kind. */
  read(event: AgUiEvent): readonly AgUiEvent[] | undefined {
    const { type, delta } = membersOf(event);
    switch (type) {
      case "THINKING_START":
        return this.#startSpan();
      case "THINKING_TEXT_MESSAGE_START":
        return this.#startText();
      case "THINKING_TEXT_MESSAGE_CONTENT":
        if (typeof delta !== "string" || delta === "") return [];
        return [
          ...(this.#message === undefined ? this.#startText() : []),
          { type: "REASONING_MESSAGE_CONTENT", messageId: this.#message!, delta },
        ];
      case "THINKING_TEXT_MESSAGE_END":
        return this.#endText();
      case "THINKING_END":
        return [...this.#endText(), ...this.#endSpan()];
      default:
        return undefined;
    }
  }

  #startSpan(): AgUiEvent[] {
    if (this.#span !== undefined) return [];
    this.#span = `thinking-${this.#runId}-${++this.#spans}`;
    return [{ type: "REASONING_START", messageId: this.#span }];
  }

  #endSpan(): AgUiEvent[] {
    const id = this.#span;
    this.#span = undefined;
    return id === undefined ? [] : [{ type: "REASONING_END", messageId: id }];
  }

  #startText(): AgUiEvent[] {
    const ended = this.#endText();
    this.#message = `thought-${this.#runId}-${++this.#texts}`;
    return [...ended, { type: "REASONING_MESSAGE_START", messageId: this.#message, role: "reasoning" }];
  }

  #endText(): AgUiEvent[] {
    const id = this.#message;
    this.#message = undefined;
    return id === undefined ? [] : [{ type: "REASONING_MESSAGE_END", messageId: id }];
  }
}
