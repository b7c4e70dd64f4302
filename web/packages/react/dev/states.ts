import type { Message, ThreadSnapshot, ToolCallState } from "@pageside/core";
import { assistant, user } from "./fakeClient.js";
import { aroundStates } from "./statesAround.js";
import { cardStates } from "./statesCards.js";
import { interruptStates } from "./statesInterrupts.js";

export const answer = `The **404s** come from a handful of pages. Between 09:00 and 11:00 there were **1,284** of them, \
which is 18.3 % of all requests.

| page | 404s | share |
|:-----|-----:|------:|
| \`/wp-login.php\` | 612 | 47.7 % |
| \`/favicon.ico\` | 301 | 23.4 % |
| \`/robots.txt\` | 144 | 11.2 % |
| \`/images/googledotcom-long-name-that-does-not-fit.png\` | 88 | 6.9 % |

### What to do

1. Block \`/wp-login.php\` at the edge: it is a scanner, all of it from *one* network.
2. Add a \`favicon.ico\`.
3. Leave \`/robots.txt\` alone:
   - crawlers ask for it
   - an empty file is enough

The query I ran:

\`\`\`ppl
source=access_log | where status = 404 and timestamp > '2015-05-17 09:00:00' | stats count() as hits by request | sort - hits | head 10
\`\`\`

> The range on screen ends at 11:00, so later requests are not counted.

- [x] Query bar updated
- [ ] Alert for the scanner

See the [PPL reference](https://docs.example.com/ppl) or https://example.com/status-codes, ask [the team](mailto:ops@example.com), \
or look at ![the chart](https://charts.example.com/404.png). ~~Not~~ done.`;

const now = Date.now();
const call = (id: string, change: Partial<ToolCallState>): ToolCallState => ({
  id,
  name: id,
  frontend: false,
  status: "complete",
  argsText: "{}",
  args: {},
  startedAt: now - 5000,
  endedAt: now - 4600,
  ...change,
});

const query = "source=access_log | where status = 404 | stats count() by request";
const calls: ToolCallState[] = [
  call("describe_fields", { result: '{"fields":["status","request","clientip"]}' }),
  call("execute_ppl_query", { args: { query }, endedAt: now - 600, result: { rows: 10, took_ms: 14 } }),
  call("top_values", {
    args: { field: "request" },
    status: "executing",
    endedAt: undefined,
    startedAt: now - 3400,
    progress: { stage: "scan", message: "Reading 1.2 of 3.4 million rows", fraction: 0.35 },
  }),
  call("set_time_range", {
    status: "pending",
    args: undefined,
    argsText: '{"from":"09',
    startedAt: now,
    endedAt: undefined,
  }),
  call("export_csv", {
    status: "failed",
    args: { path: "/reports/404.csv" },
    error: { message: "The disk is full (ENOSPC)", code: "tool_error" },
    endedAt: now - 2600,
  }),
  call("delete_index", { status: "denied", args: { index: "logs-2015" } }),
  call("reindex_everything", { status: "awaiting-approval", args: { target: "logs-2016" }, endedAt: undefined }),
  call("send_mail", { status: "cancelled", args: { to: "ops@example.com" } }),
  call("build_report", {
    status: "executing",
    endedAt: undefined,
    startedAt: now - 72_000,
    progress: { stage: "render", message: "" },
  }),
];
const toolCalls = Object.fromEntries(calls.map((item) => [item.id, item]));

const asked = user("Which pages give the most 404s?");
const done = assistant(answer);
const half = assistant(answer.slice(0, 420));
const toolMessage = assistant("I'll look at the fields first, then count.", ...calls.map(({ id }) => id));
const thought: Message = {
  id: "r1",
  role: "reasoning",
  content: "The user wants a **count by page**. I need the field names first.",
};
const some = { describe_fields: toolCalls.describe_fields!, execute_ppl_query: toolCalls.execute_ppl_query! };

const many = ["describe_fields", "execute_ppl_query", "top_values", "set_time_range"].map((id, index) =>
  call(`${id}_again`, { name: id, ...(index === 2 && { status: "failed", error: { message: "no such field" } }) }),
);
const toolsOfMany = assistant("", ...many.map(({ id }) => id));

const long = Array.from({ length: 30 }, (_, index) => [
  user(`Question ${index + 1}: how many requests came from client 10.0.0.${index}?`),
  assistant(`There were **${index * 17}** of them.\n\nMost asked for \`/index.html\` and got it.`),
]).flat();

/** Every state the tray can be in. */
export const states: Record<string, Partial<ThreadSnapshot>> = {
  empty: {},
  loading: { loading: true },
  retrying: { messages: [asked], status: "submitted", retrying: { attempt: 2, waitSeconds: 12 } },
  submitted: { messages: [asked], status: "submitted" },
  reasoning: { messages: [asked, thought], status: "streaming", streamingMessageId: thought.id },
  streaming: { messages: [asked, half], status: "streaming", streamingMessageId: half.id },
  tools: { messages: [asked, toolMessage], status: "executing", toolCalls },
  answer: {
    title: "Pages with the most 404s",
    messages: [asked, thought, assistant("", "describe_fields", "execute_ppl_query"), done],
    toolCalls: some,
    usage: [{ provider: "openai", model: "gpt-5-mini", inputTokens: 1234, cachedInputTokens: 800, outputTokens: 210 }],
  },
  error: {
    messages: [asked, assistant("The 404s come from")],
    status: "error",
    error: {
      code: "network",
      message: "fetch failed: ECONNRESET",
      retryable: true,
      details: "POST /v1/agents/default/run",
    },
  },
  stopped: { messages: [asked, half], stoppedMessageIds: [half.id] },
  unanswered: { messages: [asked], stoppedMessageIds: [asked.id] },
  failed: { messages: [asked, { ...half, metadata: { pageside: { status: "failed" } } }] },
  plain: { messages: [asked, assistant(`Here are **all** links.\n\n${"[a](https://x.example/) ".repeat(1_000)}`)] },
  cut: { messages: [asked, { ...half, metadata: { pageside: { status: "cut", reason: "length" } } }] },
  filtered: { messages: [asked, { ...half, metadata: { pageside: { status: "cut", reason: "filter" } } }] },
  silent: {
    messages: [
      asked,
      {
        ...assistant("", "describe_fields", "execute_ppl_query"),
        metadata: { pageside: { status: "failed", code: "steps_exhausted" } },
      },
    ],
    toolCalls: some,
  },
  "silent-now": {
    messages: [asked],
    status: "error",
    error: { code: "llm_empty", message: "openai/gpt-5-mini: no answer", retryable: true, ofRun: true },
  },
  long: {
    title: "A long conversation about clients and what they asked for",
    messages: [...long, asked, done],
    model: { name: "openai/gpt-5-mini", scripted: false },
  },
  rtl: {
    title: "الصفحات المفقودة",
    messages: [
      user("ما هي الصفحات التي تعطي أكثر أخطاء 404؟"),
      assistant(
        "أكثرها من صفحة `/wp-login.php`:\n\n1. **612** طلبًا\n2. من شبكة واحدة\n\n| صفحة | عدد |\n|--|--:|\n| `/favicon.ico` | 301 |",
        "execute_ppl_query",
      ),
    ],
    toolCalls: some,
  },
  turns: {
    messages: [
      user("Check the index and report"),
      toolsOfMany,
      { ...assistant("Two indexes are large.\n\n- logs-2015\n- logs-2016"), subagentRunId: "s1" } as Message,
      assistant("Done: **two** of them are large."),
      asked,
    ],
    toolCalls: Object.fromEntries(many.map((item) => [item.id, item])),
    status: "error",
    error: { code: "network", message: "fetch failed", retryable: true },
  },
  code: {
    messages: [
      asked,
      assistant(
        'In Go:\n\n```go\n// Count counts what matches.\nfunc Count(ctx context.Context, rows []Row) (int, error) {\n\treturn len(rows), nil\n}\n```\n\nand as JSON:\n\n```json\n{ "status": 404, "page": "/wp-login.php", "scanner": true }\n```\n\n```diff\n- threshold: 50\n+ threshold: 25\n```\n\n```ppl\nsource=access_log | where status = 404 and timestamp > \'2015-05-17 09:00:00\' | stats count() as hits by request | sort - hits\n```',
      ),
    ],
  },
  ...cardStates,
  ...aroundStates,
  ...interruptStates,
};
