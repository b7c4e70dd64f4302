/** The order of events that AG-UI prescribes, as the stock client (`@ag-ui/client`) checks it. */
import type { AgUiEvent } from "./events.js";
import { Failure } from "./failure.js";

/** What an event of any type may have, of what the order is about. */
interface Loose {
  type: string;
  messageId?: unknown;
  toolCallId?: unknown;
  toolCallName?: unknown;
  stepName?: unknown;
  subagentRunId?: unknown;
  delta?: unknown;
}

/** What an event is about, by the beginning of its type: the member with its id, and its name. */
const THINGS = {
  TEXT_MESSAGE: ["messageId", "text message"],
  REASONING_MESSAGE: ["messageId", "reasoning message"],
  TOOL_CALL: ["toolCallId", "tool call"],
  STEP: ["stepName", "step"],
  SUBAGENT: ["subagentRunId", "subagent"],
} as const;

const NAMELESS = "it has no toolCallName";

const PARTS =
  /^(TEXT_MESSAGE|REASONING_MESSAGE|TOOL_CALL|STEP|SUBAGENT)_(START|STARTED|CONTENT|ARGS|CHUNK|END|FINISHED|ERROR)$/;

/** Checks the events of one run. */
export class Order {
  /** The last kind of chunk of each subagent: a chunk without an id continues it. */
  readonly #chunks = new Map<unknown, string>();
  /** What chunks have begun, by kind and id. */
  readonly #begun = new Set<string>();
  /** What is open, by kind and id. */
  readonly #open = new Map<string, string>();
  #isStarted = false;

  /** Throws if the event must not come now. */
  check(event: AgUiEvent): void {
    const { type } = event;
    if (type === "RUN_STARTED") {
      if (this.#isStarted) throw illegal(type, "the run has started already");
      this.#isStarted = true;
    } else if (!this.#isStarted && type !== "RUN_ERROR") {
      throw illegal(type, "the first event must be RUN_STARTED");
    }
    const [, kind, part] = PARTS.exec(type) ?? [];
    if (kind) this.#checkPart(event as Loose, kind as keyof typeof THINGS, part!);
    if (type === "RUN_FINISHED") this.#checkEnd();
  }

  #checkPart(event: Loose, kind: keyof typeof THINGS, part: string): void {
    const { type, delta } = event;
    const [member, name] = THINGS[kind];
    const id = event[member];
    if (part === "CHUNK") return this.#checkChunk(event, kind, id);
    if (typeof id !== "string" || id === "") throw illegal(type, `it has no ${member}`);
    if (/CONTENT|ARGS/.test(part) && typeof delta !== "string") throw illegal(type, "its delta is no text");
    const key = `${kind} ${kind === "STEP" ? String(event.subagentRunId ?? "") : ""} ${id}`;
    const isOpen = this.#open.has(key);
    if (part.startsWith("START")) {
      if (isOpen) throw illegal(type, `the ${name} "${id}" is open already`);
      if (kind === "TOOL_CALL" && typeof event.toolCallName !== "string") throw illegal(type, NAMELESS);
      this.#open.set(key, `the ${name} "${id}"`);
    } else if (!isOpen) {
      throw illegal(type, `no ${name} "${id}" is open`);
    } else if (/END|FINISHED|ERROR/.test(part)) {
      this.#open.delete(key);
    }
  }

  #checkChunk({ type, subagentRunId, toolCallName }: Loose, kind: string, id: unknown): void {
    if (id === undefined && this.#chunks.get(subagentRunId) !== kind) throw illegal(type, "the first one has no id");
    const key = `${kind} ${String(id)}`;
    const isFirst = id !== undefined && !this.#begun.has(key);
    if (kind === "TOOL_CALL" && isFirst && typeof toolCallName !== "string") throw illegal(type, NAMELESS);
    this.#chunks.set(subagentRunId, kind);
    this.#begun.add(key);
  }

  #checkEnd(): void {
    const open = [...this.#open.values()].filter((what) => !what.startsWith("the reasoning"));
    if (open.length > 0)
      throw illegal("RUN_FINISHED", `${open.join(", ")} ${open.length > 1 ? "are" : "is"} still open`);
  }
}

/** The failure that ends a run whose agent breaks the order. */
function illegal(type: string, why: string): Failure {
  return new Failure("agent_event", `The agent sent ${type} out of order: ${why}.`);
}
