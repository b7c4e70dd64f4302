/** Reading server-sent events (WHATWG HTML, section 9.2) from the body of a fetch. */

import { protocolFailure } from "./failure.js";

/** One server-sent event. */
export interface SseEvent {
  /**
   * The id sent with this event. An event without one was made for this reader only, and is no
   * position.
   */
  id?: string;
  data: string;
}

/** The longest event, in characters: a stream without line ends must not fill the memory. */
export const MAX_EVENT = 10 * 1024 * 1024;

/** Turns bytes into events, however they are chunked. */
export class SseParser {
  #decoder = new TextDecoder();
  #line = "";
  #data: string[] = [];
  #size = 0;
  #id: string | undefined;
  #afterCr = false;

  /**
   * Takes the next bytes and returns the events they complete. Throws beyond `MAX_EVENT`. Events
   * end with a blank line; an unfinished event at the end of the stream is dropped.
   */
  push(bytes: Uint8Array): SseEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    // drop the second half of a CRLF
    const rest = this.#afterCr && text.startsWith("\n") ? text.slice(1) : text;
    this.#afterCr = text.endsWith("\r");
    const lines = rest.split(/\r\n|\r|\n/);
    const events: SseEvent[] = [];
    lines[0] = this.#line + lines[0]!;
    this.#line = lines.pop()!;
    for (const line of lines) this.#endLine(line, events);
    this.#limit(this.#line.length);
    return events;
  }

  #endLine(line: string, events: SseEvent[]): void {
    if (line === "") {
      if (this.#data.length > 0) events.push({ id: this.#id, data: this.#data.join("\n") });
      this.#id = undefined;
      this.#data = [];
      this.#size = 0;
      return;
    }
    this.#limit(line.length);
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === "id" && !value.includes("\0")) {
      this.#id = value;
    } // AG-UI does not use comments, `event` and `retry`
  }

  #limit(more: number): void {
    if (this.#size + more > MAX_EVENT) throw protocolFailure("The server sent an event of more than 10 MiB.");
  }
}

/**
 * The events of a body, in the batches in which they arrive. Ending the iteration early cancels the
 * body.
 */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent[], void, undefined> {
  const parser = new SseParser();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield parser.push(value);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
