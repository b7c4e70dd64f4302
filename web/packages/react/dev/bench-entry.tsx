// Runs in the browser; started by bench.mjs.
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { Markdown } from "../src/markdown/Markdown.js";
import { AssistantProvider } from "../src/provider.js";
import { AssistantTray } from "../src/tray/index.js";
import { corpus } from "./corpus.js";
import { assistant, fakeClient, user } from "./fakeClient.js";

export interface Measured {
  name: string;
  bytes: number;
  deltas: number;
  p50: number;
  p95: number;
  max: number;
  total: number;
}

/**
 * Streams a text into the page, `step` characters at a time, and times each delta up to the DOM.
 */
function measure(name: string, source: string, step: number): Measured {
  const element = document.body.appendChild(document.createElement("div"));
  const root = createRoot(element);
  const times: number[] = [];
  for (let end = step; end < source.length + step; end += step) {
    const before = performance.now();
    flushSync(() => root.render(<Markdown source={source.slice(0, end)} streaming={end < source.length} />));
    times.push(performance.now() - before);
  }
  root.unmount();
  return summary(name, source.length, times);
}

function summary(name: string, bytes: number, times: number[]): Measured {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)]!;
  const total = times.reduce((sum, time) => sum + time, 0);
  return { name, bytes, deltas: times.length, p50: at(0.5), p95: at(0.95), max: at(1), total };
}

/**
 * What comes between two renderings of the tray: 300 deltas a second, and the client tells at most
 * 30 changes.
 */
const PER_RENDERING = 10;

/**
 * Streams an answer into the whole tray, below fifty closed turns. Times are those of one delta.
 */
async function measureTray(name: string, source: string, deltas: number): Promise<Measured> {
  const element = document.body.appendChild(document.createElement("div"));
  const root = createRoot(element);
  const before = Array.from({ length: 50 }, (_, index) => [
    user(`Question ${index}`),
    assistant(corpus.answer!),
  ]).flat();
  const [asked, answer] = [user("And now?"), assistant("")];
  const client = fakeClient({ messages: before });
  flushSync(() =>
    root.render(
      <AssistantProvider client={client} defaultOpen>
        <AssistantTray />
      </AssistantProvider>,
    ),
  );
  while (element.querySelectorAll(".ps-turn .ps-md").length < 50) await new Promise(requestAnimationFrame);
  const times: number[] = [];
  const step = source.length / deltas;
  for (let delta = PER_RENDERING; delta <= deltas; delta += PER_RENDERING) {
    const growing = { ...answer, content: source.slice(0, Math.round(delta * step)) } as typeof answer;
    const begin = performance.now();
    flushSync(() =>
      client.show({ messages: [...before, asked, growing], status: "streaming", streamingMessageId: answer.id }),
    );
    times.push((performance.now() - begin) / PER_RENDERING);
  }
  root.unmount();
  element.remove();
  return summary(name, source.length, times);
}

const fill = (text: string, size: number) => text.repeat(Math.ceil(size / text.length)).slice(0, size);
const { references: _, ...plain } = corpus;

const texts: Record<string, string> = {
  "answer, 20 kB": fill(`${corpus.answer}\n\n`, 20_000),
  "everything, 20 kB": fill(`${Object.values(plain).join("\n\n")}\n\n`, 20_000),
  "one list, 20 kB": fill("- an item with **bold** and `code` in it\n", 20_000),
  "one table, 20 kB": `| a | b |\n|---|---|\n${fill("| cell **one** | `two` |\n", 20_000)}`,
  "one code block, 20 kB": `\`\`\`js\n${fill("const a = call(b, c);\n", 20_000)}`,
  "one paragraph, 20 kB": fill("words with **bold** and [links](https://a.example/x) and more ", 20_000),
  "link definitions, 20 kB": `[a]: https://a.example\n\n${fill("A paragraph with [one][a] and **bold**.\n\n", 20_000)}`,
};

Object.assign(globalThis, {
  benchmark: async (step: number) => {
    measure("warm-up", texts["answer, 20 kB"]!, 100);
    return [
      ...Object.entries(texts).map(([name, text]) => measure(name, text, step)),
      await measureTray("the whole tray, 10,000 deltas", fill(`${corpus.answer}\n\n`, 50_000), 10_000),
    ];
  },
});
