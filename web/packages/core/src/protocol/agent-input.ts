/** The messages and tools that an agent without a Pageside server is sent. */
import { membersOf } from "../base/values.js";
import type { Context, Tool, ToolCall, ToolMessage } from "@ag-ui/core";
import { toolCallsOf } from "./messages.js";
import type { Message } from "./types.js";

/** What an agent is told of a call that the user did not wait for. */
const LEFT = JSON.stringify({
  error: { type: "interrupted", message: "The user went on before this call had a result." },
});

/**
 * The thread for an agent: system messages first, no activities, which clients keep to themselves,
 * and a result for each call that the user did not wait for. Models refuse a thread without one.
 */
export function messagesFor(messages: readonly Message[]): readonly Message[] {
  const told = messages.filter(({ role }) => role !== "activity");
  const answered = new Set(told.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  const lastUser = told.findLastIndex(({ role }) => role === "user");
  const all = told.flatMap((message, index) => {
    const isLeft = ({ id }: ToolCall) => index < lastUser && !answered.has(id);
    const left = toolCallsOf(message).filter(isLeft);
    return left.length > 0 ? settled(message, left) : [message];
  });
  const isSystem = ({ role }: Message) => role === "system" || role === "developer";
  return [...all.filter(isSystem), ...all.filter((message) => !isSystem(message))];
}

/** A message whose open calls have a result. A call that was half written is left out. */
function settled(message: Message, left: readonly ToolCall[]): readonly Message[] {
  const whole = left.filter(({ function: { arguments: text } }) => isJson(text));
  const toolCalls = toolCallsOf(message).filter((call) => whole.includes(call) || !left.includes(call));
  const { toolCalls: _, ...rest } = message as Message & { toolCalls?: unknown };
  const results = whole.map(({ id }): ToolMessage => ({
    id: `left-${id}`,
    role: "tool",
    toolCallId: id,
    content: LEFT,
  }));
  const isEmpty = toolCalls.length === 0 && !rest.content;
  return isEmpty ? [] : [(toolCalls.length > 0 ? { ...rest, toolCalls } : rest) as Message, ...results];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What of an input is different in the versions of AG-UI. */
interface Versioned {
  messages: readonly Message[];
  tools: readonly Tool[];
  context: readonly Context[];
}

/** The input without what agents of AG-UI 0.x do not know and may refuse. */
export function simplified<T extends Versioned>({ messages, tools, context, ...rest }: T): object {
  const told = messages.filter(({ role }) => role !== "reasoning");
  return {
    ...rest,
    messages: told.map((message) => simple({ ...message, toolCalls: toolCallsOf(message).map(simple) })),
    tools: tools.map(simple),
    context: context.map(({ description, value }) => ({ description, value })),
  };
}

function simple(of: object): object {
  const { metadata: _, encryptedValue: __, subagentRunId: ___, ...rest } = membersOf(of);
  if (Array.isArray(rest["toolCalls"]) && rest["toolCalls"].length === 0) delete rest["toolCalls"];
  return rest;
}
