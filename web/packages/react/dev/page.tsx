// A page with the real client and a scripted agent, for the tests in Chromium.
import "@pageside/react/tray.css";
import { createPagesideClient } from "@pageside/core";
import { scriptedAgent } from "@pageside/testing";
import { createRoot } from "react-dom/client";
import { AssistantProvider } from "../src/provider.js";
import { AssistantTray } from "../src/tray/index.js";
import { furnish } from "./furnish.js";

const said = (id: string, question: string) => [
  { id: `${id}-u`, role: "user" as const, content: question },
  { id: `${id}-a`, role: "assistant" as const, content: "Two of them." },
];
const agent = scriptedAgent(
  [
    { when: "code", reply: `Here it is:\n\n    ${"late ".repeat(200)}` },
    { reply: ({ message }) => `You said: ${message}` },
  ],
  {
    threads: [
      { id: "old-1", title: "Slow requests", messages: said("old-1", "Which requests are slow?") },
      { id: "old-2", title: "Refunds in May", messages: said("old-2", "How many refunds were there?") },
    ],
  },
);
const client = createPagesideClient({ fetch: agent.fetch });
furnish(client);
Object.assign(globalThis, { client, agent });

createRoot(document.getElementById("root")!).render(
  <AssistantProvider client={client}>
    <main>
      <h1>Discover</h1>
      <button type="button">Export</button>
    </main>
    <AssistantTray pageName="Discover" />
  </AssistantProvider>,
);
