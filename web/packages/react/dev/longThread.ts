import type { Message } from "@pageside/core";
import { corpus } from "./corpus.js";

/**
 * A thread of so many messages, as conversations are: tables, lists and code, some calls of tools,
 * some cards.
 */
export function longThread(count: number): Message[] {
  const messages: Message[] = [];
  for (let turn = 1; messages.length < count; turn++) {
    messages.push({ id: `q${turn}`, role: "user", content: `Question ${turn}: which pages give the most 404s?` });
    if (turn % 5 === 0) messages.push(...called(turn));
    if (turn % 10 === 0) messages.push(card(turn));
    messages.push({ id: `a${turn}`, role: "assistant", content: `Answer ${turn}.\n\n${texts[turn % texts.length]}` });
  }
  return messages.slice(-count);
}

const texts = [
  corpus.answer!,
  corpus.tables!,
  "Most asked for `/index.html`, and got it.",
  corpus.lists!,
  corpus.code!,
  corpus.headings!,
];

const called = (turn: number): Message[] => [
  {
    id: `c${turn}`,
    role: "assistant",
    toolCalls: [
      { id: `call${turn}`, type: "function", function: { name: "top_values", arguments: '{"field":"request"}' } },
    ],
  },
  { id: `r${turn}`, role: "tool", toolCallId: `call${turn}`, content: '{"rows":10,"took_ms":14}' },
];

const card = (turn: number): Message => ({
  id: `p${turn}`,
  role: "activity",
  activityType: "report",
  content: { title: `Report ${turn}`, status: 404, requests: 1284, share: "18.3 %" },
  metadata: { pageside: { source: "tool", status: "accepted" } },
});
