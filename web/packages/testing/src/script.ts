/** A reply while it is being played: over several runs where calls wait for the client. */
import type { Interrupt } from "@ag-ui/core";
import type { Json, Message } from "@pageside/core";
import { toolCallsOf } from "@pageside/core/events";
import type { RunInput } from "./events.js";
import { partsOf, type BackendOutcome, type Part, type Reply, type Turn } from "./parts.js";

/** A call that waits for the page, or for a person. */
export interface OpenCall {
  id: string;
  name: string;
  args: Json;
  /** Absent for a call of a frontend tool. */
  interrupt?: Interrupt;
  /** What comes of it once it is approved; absent for a question, whose answer is the result. */
  outcome?: BackendOutcome;
}

/** What a script asks of the run that plays it. */
interface PlayedRun {
  readonly input: RunInput;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** The messages of the branch up to here. */
  readonly messages: readonly Message[];
}

type Next = IteratorResult<Part, undefined>;

/** A reply, part by part. */
export class Script {
  readonly turn: Turn;
  /** The run that plays it now. */
  run: PlayedRun | undefined;
  readonly #parts: AsyncGenerator<Part, undefined, undefined>;
  #first: Promise<Next> | undefined;

  constructor(reply: Reply, turn: Turn) {
    this.turn = turn;
    this.#parts = partsOf(reply, turn);
  }

  /** The next part, which stays the next one. */
  peek(): Promise<Next> {
    return (this.#first ??= this.#parts.next());
  }

  next(): Promise<Next> {
    const next = this.peek();
    this.#first = undefined;
    return next;
  }
}

/** The turn that a message of the user begins; `runOf` says which run plays it. */
export function turnOf(message: string, input: RunInput, runOf: () => PlayedRun | undefined): Turn {
  const before: PlayedRun = { input, messages: input.messages, signal: new AbortController().signal };
  const now = () => runOf() ?? before;
  return {
    message,
    threadId: input.threadId,
    get runId() {
      return now().input.runId;
    },
    get messages() {
      return now().messages;
    },
    get input() {
      return now().input;
    },
    get signal() {
      return now().signal;
    },
    result(tool) {
      const all = now().messages;
      const inTurn = all.slice(all.findLastIndex(({ role }) => role === "user") + 1);
      const call = inTurn.flatMap(toolCallsOf).findLast(({ function: { name } }) => name === tool);
      const answer = inTurn.find((each) => each.role === "tool" && each.toolCallId === call?.id);
      return answer && parsed(answer.content);
    },
    context(description) {
      const item = now().input.context.find((each) => each.description === description);
      return item && parsed(item.value);
    },
  };
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
