import type { Message, ThreadSnapshot, ToolCallState } from "@pageside/core";
import { expect, it } from "vitest";
import { emptySnapshot } from "../../../dev/fakeClient.js";
import { english } from "../../labels/english.js";
import { panelEnglish } from "../../labels/panelEnglish.js";
import { fileNameOf, toMarkdown } from "./export.js";

const labels = { ...panelEnglish, ...english };
const now = new Date(2026, 0, 2, 3, 4);
const call = {
  id: "c1",
  name: "execute_ppl",
  frontend: false,
  status: "complete",
  argsText: "",
  startedAt: 0,
} as const;

function written(messages: readonly Message[], ...calls: ToolCallState[]) {
  const toolCalls = Object.fromEntries(calls.map((each) => [each.id, each]));
  const snapshot: ThreadSnapshot = { ...emptySnapshot, messages, toolCalls };
  return toMarkdown(snapshot, { title: "Late\norders", labels, now }).replace(now.toLocaleString(), "NOW");
}

it("writes who said what, tool calls folded, cards as JSON", () => {
  const messages = [
    { id: "s", role: "system", content: "secret" },
    { id: "u", role: "user", content: "Which **ones**?" },
    { id: "h", role: "user", content: "hidden", metadata: { pageside: { hidden: true } } },
    { id: "r", role: "reasoning", content: "thinking" },
    {
      id: "a",
      role: "assistant",
      content: "These.",
      toolCalls: [{ id: "c1", type: "function", function: { name: "execute_ppl", arguments: "{}" } }],
    },
    { id: "t", role: "tool", toolCallId: "c1", content: "2 rows" },
    { id: "p", role: "activity", activityType: "query_suggestion", content: { query: "x" } },
    { id: "n", role: "activity", activityType: "pageside_note", content: { text: "left the page" } },
  ] as Message[];
  expect(written(messages, { ...call, args: { q: 1 }, result: "2 rows" })).toBe(`# Late orders

*Exported NOW*

## You

Which **ones**?

## Assistant

These.

<details>
<summary>Tool: Execute PPL</summary>

\`\`\`json
{
  "q": 1
}
\`\`\`

\`\`\`
2 rows
\`\`\`

</details>

**Query suggestion**

- Query: x
`);
});

it("is not broken by what a tool says, or what it is called", () => {
  const messages = [{ id: "a", role: "assistant", toolCalls: [{ id: "c1" }] }] as Message[];
  const text = written(messages, { ...call, name: "<b>&amp", args: "````", error: { message: "a ``` b" } });
  expect(text).toContain("<summary>Tool: &#60;b&#62;&#38;amp</summary>");
  expect(text).toContain("`````json\n````\n`````");
  expect(text).toContain("````\na ``` b\n````");
});

it("names attachments", () => {
  const content = [
    { type: "text", text: "See" },
    { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" }, metadata: { name: "shot.png" } },
  ];
  expect(written([{ id: "u", role: "user", content } as Message])).toContain("See\n\n*Attachment: shot.png*");
});

it("makes names that every file system takes", () => {
  expect(["Late orders?", "../../etc", "الصفحات", "…"].map(fileNameOf)).toEqual([
    "late-orders.md",
    "etc.md",
    "الصفحات.md",
    "conversation.md",
  ]);
});
