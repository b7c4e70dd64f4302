/**
 * The form of a recording: lines of JSON, one for each thing that happened between a client and a
 * server.
 */

/** The first line. */
export interface RecordingHeader {
  kind: "recording";
  version: 1;
  startedAt: string;
}

/** What the client asked for. No headers: those may hold secrets. */
export interface RequestLine {
  kind: "request";
  /** Counted from 1; the lines below name it. */
  request: number;
  /** Milliseconds since the recording began. */
  at: number;
  method: string;
  /** With its query, without the base URL. */
  path: string;
  body?: unknown;
}

/** What the server answered, with the body where it is no stream. */
export interface ResponseLine {
  kind: "response";
  request: number;
  at: number;
  status: number;
  type: string;
  body?: string;
}

/** One frame of a stream, as it was sent, without the blank line at its end. */
export interface FrameLine {
  kind: "frame";
  request: number;
  at: number;
  frame: string;
}

/** The end of a stream: by the server, or, with `broken`, by the client or on the way. */
export interface EndLine {
  kind: "end";
  request: number;
  at: number;
  broken?: true;
}

/** One line of a recording. */
export type RecordingLine = RecordingHeader | RequestLine | ResponseLine | FrameLine | EndLine;

/** Reads a recording. Throws if a line is none. */
export function parseRecording(text: string): RecordingLine[] {
  const lines = text.split("\n").flatMap((line, index): RecordingLine[] => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as RecordingLine];
    } catch (cause) {
      throw new Error(`line ${index + 1} of the recording is no JSON`, { cause });
    }
  });
  const [header] = lines;
  if (header?.kind !== "recording" || header.version !== 1) throw new Error("this is no recording of version 1");
  return lines;
}
