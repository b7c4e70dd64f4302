// The message box with the real client and a scripted agent, for composer.mjs.
import "@pageside/react/tray.css";
import { createPagesideClient } from "@pageside/core";
import { pause, scriptedAgent } from "@pageside/testing";
import { createRoot } from "react-dom/client";
import { AssistantProvider } from "../src/provider.js";
import { AssistantTray } from "../src/tray/index.js";
import { furnish } from "./furnish.js";

const agent = scriptedAgent(
  [
    { when: "slowly", reply: ["One moment.", pause(60_000), "Done."] },
    { reply: ({ message }) => `You said: ${message}` },
  ],
  { suggestions: [{ label: "What changed since yesterday?", value: "What changed since yesterday?" }] },
);
const client = createPagesideClient({ fetch: agent.fetch });
furnish(client);
client.registerContext({
  id: "selection",
  kind: "selection",
  description: "Text that is selected on the page",
  value: { text: "GET /wp-login.php 404, 612 times within two hours, all of it from one network" },
});
Object.assign(globalThis, { client, agent });

createRoot(document.getElementById("root")!).render(
  <AssistantProvider client={client} defaultOpen>
    <main>
      <h1>Discover</h1>
    </main>
    <AssistantTray
      pageName="Discover"
      suggestions={["Which pages give the most 404s?", "Why are there so few results?"]}
    />
  </AssistantProvider>,
);
