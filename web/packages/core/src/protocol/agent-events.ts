/** Reads the events of an agent without a Pageside server, of AG-UI 1.0 or 0.x. */
import { compact } from "../base/values.js";
import { Order } from "./agent-order.js";
import type { AgUiEvent } from "./events.js";
import type { WithMetadata } from "./pageside.js";
import { Thoughts } from "./thinking.js";
import type { Message } from "./types.js";

/** The members in which null is a value. */
const OPAQUE = ["snapshot", "value", "event", "result"];

/** What the page itself adds to a request begins with this: it is no message of the thread. */
export const OWN = "pageside:";

/**
 * Makes what reads one answer: the events that each one stands for. Throws where the order is
 * illegal. `sent` are the messages that the agent was sent.
 */
export function agentReader(
  run: { threadId: string; runId: string },
  sent: readonly Message[],
): (event: AgUiEvent) => readonly AgUiEvent[] {
  const order = new Order();
  const thoughts = new Thoughts(run.runId);
  const asked = new Map(sent.flatMap((message) => (message.role === "user" ? [[message.id, message] as const] : [])));
  let isStarted = false;
  return (raw) => {
    const event = withoutNulls(raw);
    const told = thoughts.read(event);
    if (told) return told;
    order.check(event);
    const isEarly = event.type === "RUN_ERROR" && !isStarted;
    isStarted = true;
    const read = withoutClaims(event, asked);
    return isEarly ? [{ type: "RUN_STARTED", ...run }, read] : [read];
  };
}

function withoutNulls(event: AgUiEvent): AgUiEvent {
  const kept = Object.fromEntries(OPAQUE.flatMap((name) => (name in event ? [[name, event[name as never]]] : [])));
  return { ...compact<AgUiEvent>(event), ...kept } as AgUiEvent;
}

/**
 * Without what only a Pageside server may say, such as that a person has approved a call. The
 * user's own messages stay as they were sent.
 */
function withoutClaims(event: AgUiEvent, asked: ReadonlyMap<string, Message>): AgUiEvent {
  const bare = withoutClaim(event);
  if (bare.type === "MESSAGES_SNAPSHOT") {
    const messages = bare.messages.filter(({ id }) => !id.startsWith(OWN));
    return { ...bare, messages: messages.map((message) => asked.get(message.id) ?? withoutClaimsOf(message)) };
  }
  if (bare.type === "RUN_STARTED" && bare.input) {
    const messages = bare.input.messages.filter(({ id }) => !id.startsWith(OWN));
    return { ...bare, input: { ...bare.input, messages: messages.map(withoutClaimsOf) } };
  }
  if (bare.type === "RUN_FINISHED" && bare.outcome?.type === "interrupt") {
    return { ...bare, outcome: { ...bare.outcome, interrupts: bare.outcome.interrupts.map(withoutClaim) } };
  }
  return bare;
}

function withoutClaimsOf(message: Message): Message {
  const bare = withoutClaim(message);
  if (bare.role !== "assistant" || !bare.toolCalls) return bare;
  return { ...bare, toolCalls: bare.toolCalls.map(withoutClaim) };
}

function withoutClaim<T extends WithMetadata>(of: T): T {
  if (of.metadata?.["pageside"] === undefined) return of;
  const { pageside: _, ...metadata } = of.metadata;
  return { ...of, metadata };
}
