/** States of the tray in which hostile texts stand wherever a text may stand. For tests. */
import type { Message, Question, ThreadSnapshot, ToolCallState } from "@pageside/core";
import { approval, question } from "./statesInterrupts.js";

/** The thread that holds these texts: at most a few, for one screen. */
export function hostileSnapshot(texts: readonly string[], id: string): Partial<ThreadSnapshot> {
  const calls = texts.map((text, index) => callOf(text, `${id}-${index}`));
  return {
    threadId: id,
    messages: texts.flatMap((text, index) => messagesOf(text, `${id}-${index}`)),
    toolCalls: Object.fromEntries(calls.map((call) => [call.id, call])),
    questions: texts.flatMap((text, index) => questionsOf(text, `${id}-${index}`)),
    status: "idle",
    error: { code: texts[0]!, message: texts[0]! },
    model: { name: texts[0]!, scripted: false },
  };
}

/** An object with a text in its names, values and depths. */
const argsOf = (text: string) => ({
  text,
  [text]: text,
  list: [text, { [text]: [text] }],
  constructor: text,
  ...(JSON.parse('{"__proto__": {"polluted": true}}') as object),
});

function callOf(text: string, id: string): ToolCallState {
  const args = argsOf(text);
  return {
    id: `call-${id}`,
    name: text,
    frontend: false,
    status: "failed",
    args,
    argsText: JSON.stringify(args),
    result: text,
    error: { name: "Error", message: text },
    startedAt: 0,
    endedAt: 5_000,
  } as ToolCallState;
}

function messagesOf(text: string, id: string): Message[] {
  const pageside = {
    suggestedValues: [
      { label: text, value: text },
      { label: "Thanks!", value: text },
    ],
    suggestedActions: [{ label: text, action: "server", handler: "server", args: argsOf(text) }],
  };
  return [
    { id: `q-${id}`, role: "user", content: text },
    { id: `r-${id}`, role: "reasoning", content: text },
    {
      id: `a-${id}`,
      role: "assistant",
      content: text,
      toolCalls: [
        { id: `call-${id}`, type: "function", function: { name: text, arguments: JSON.stringify({ text }) } },
      ],
    },
    {
      id: `p-${id}`,
      role: "activity",
      activityType: text.trim() || "card",
      content: { title: text, ...argsOf(text) },
      metadata: { pageside: { source: "llm", status: "open" } },
    },
    { id: `b-${id}`, role: "assistant", content: text, metadata: { pageside } },
  ] as unknown as Message[];
}

function questionsOf(text: string, id: string): Question[] {
  const args = argsOf(text);
  return [
    approval(`i-${id}`, text, args, {
      message: text,
      metadata: { pageside: { tool: text, args, summary: text, effect: "destructive" } },
    }),
    question(`o-${id}`, text, { type: "string", enum: [text, `${text} `], title: text }),
    question(`n-${id}`, text, { type: "array", title: text, items: { type: "string", enum: [text] } }),
  ];
}
