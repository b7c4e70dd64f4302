// The message box with the real client and a scripted agent:
// /composer.html?theme=dark&lang=de&dir=rtl
import "@pageside/react/tray.css";
import { commandsOf, createPagesideClient } from "@pageside/core";
import { pause, scriptedAgent } from "@pageside/testing";
import { createRoot } from "react-dom/client";
import { AssistantProvider } from "../src/provider.js";
import { AssistantTray, german } from "../src/tray/index.js";

const query = new URLSearchParams(location.search);
const agent = scriptedAgent(
  [
    { when: "slowly", reply: ["One moment.", pause(60_000), "Done."] },
    { reply: ({ message }) => `You said: ${message}` },
  ],
  { suggestions: [{ label: "What changed since yesterday?", value: "What changed since yesterday?" }] },
);
const client = createPagesideClient({ fetch: agent.fetch });
const rows = [
  { id: 17, request: "/wp-login.php", status: 404 },
  { id: 23, request: "/favicon.ico", status: 404 },
];
client.registerContext({
  id: "page",
  kind: "page",
  description: "The page: query and time range",
  value: { query: "status = 404" },
});
client.registerContext({
  id: "rows",
  kind: "dynamic",
  description: "The rows that are selected in the table",
  label: "@selected-rows",
  auto: false,
  source: "Table",
  value: rows,
});
client.registerContext({
  id: "chart",
  kind: "dynamic",
  description: "The chart above the table",
  label: "chart",
  source: "Charts",
  value: { bars: 12 },
});
if (query.has("selection"))
  client.registerContext({
    id: "selection",
    kind: "selection",
    description: "Text that is selected on the page",
    value: { text: "GET /wp-login.php 404, 612 times within two hours, all of it from one network" },
  });
client.registerTool({
  name: "set_time_range",
  description: "Sets the time range of the page",
  handler: () => "ok",
});
const commands = commandsOf(client);
commands.register({ command: "/analyze", description: "Analyze the current data", prompt: "Analyze the data" });
commands.register({
  command: "/explain",
  description: "Explain a field of the table, in words and with an example",
  argumentHint: "<field>",
  prompt: (field) => `Explain the field ${field}`,
});
commands.register({
  command: "/refresh",
  description: "Load the table again",
  group: "Table",
  handler: () => {
    if (query.has("fail")) throw new Error("The table can't be loaded.");
    document.title = "refreshed";
  },
});

document.body.style.margin = "0";
document.documentElement.dir = query.get("dir") ?? "ltr";
const theme = (query.get("theme") ?? "auto") as "auto" | "light" | "dark";
Object.assign(globalThis, { client, agent });

createRoot(document.getElementById("root")!).render(
  <AssistantProvider client={client} defaultOpen>
    <main
      style={{
        font: "14px/1.5 system-ui",
        padding: 24,
        minHeight: "100vh",
        background: theme === "dark" ? "#0e0f12" : "#f4f5f7",
      }}
    >
      <h1 style={{ fontSize: 20, color: theme === "dark" ? "#ddd" : "#333" }}>Discover</h1>
    </main>
    <AssistantTray
      theme={theme}
      pageName="Discover"
      labels={query.get("lang") === "de" ? german : undefined}
      suggestions={["Which pages give the most 404s?", "Why are there so few results?"]}
    />
  </AssistantProvider>,
);
