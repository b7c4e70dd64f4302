// A page with a real client and a scripted agent in memory, for journey.mjs.
import "@pageside/react/tray.css";
import { cut, scriptedAgent } from "@pageside/testing";
import { createRoot } from "react-dom/client";
import { useDynamicContext } from "../src/hooks/useDynamicContext.js";
import { AssistantProvider } from "../src/provider.js";
import { AssistantTray } from "../src/tray/index.js";

const said = (id: string, question: string) => [
  { id: `${id}-u`, role: "user" as const, content: question },
  { id: `${id}-a`, role: "assistant" as const, content: "Two of them." },
];
const agent = scriptedAgent(
  [
    {
      when: "report",
      reply: ["The report has two parts. This is the first, and it ends in the mid", cut(), "dle of a word."],
    },
    { reply: `You have **two** late orders.\n\n    ${"late ".repeat(200)}` },
  ],
  {
    threads: [
      { id: "old-1", title: "Slow requests", messages: said("old-1", "Which requests are slow?") },
      { id: "old-2", title: "Refunds in May", messages: said("old-2", "How many refunds were there?") },
    ],
  },
);
Object.assign(globalThis, { agent });

function Orders() {
  useDynamicContext({ description: "The rows on screen", value: [{ id: 1, state: "late" }] });
  useDynamicContext({ description: "The filter", value: { state: "late" } });
  return (
    <main>
      <h1>Orders</h1>
      <button type="button">Export</button>
    </main>
  );
}

createRoot(document.getElementById("root")!).render(
  <AssistantProvider url="https://assistant.example" fetch={agent.fetch}>
    <Orders />
    <AssistantTray pageName="Orders" />
  </AssistantProvider>,
);
