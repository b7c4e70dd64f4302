// One state:
// stage.html?entry=answer&theme=dark&dir=rtl&density=compact&side=start&lang=de&host=reboot
import "@pageside/react/tray.css";
import { createPagesideClient, type OfferedModel, type PagesideClient } from "@pageside/core";
import { AssistantProvider } from "@pageside/react";
import { AssistantTray, german } from "@pageside/react/tray";
import { pause, scriptedAgent } from "@pageside/testing";
import { createRoot, type Root } from "react-dom/client";
import { fakeClient } from "../../../packages/react/dev/fakeClient.js";
import { furnish } from "../../../packages/react/dev/furnish.js";
import { Handlers } from "../../../packages/react/dev/Handlers.js";
import { hostStyles } from "../../../packages/react/dev/hostStyles.js";
import { openPanel, withPage } from "../../../packages/react/dev/panels.js";
import { states } from "../../../packages/react/dev/states.js";
import { one } from "./act.js";
import { entries, type Entry } from "./catalogue.js";
import { boxScenes } from "./scenes-box.js";
import { playRun, runScenes } from "./scenes-runs.js";
import { shareScenes } from "./scenes-shares.js";

interface Options {
  theme?: string;
  dir?: string;
  density?: string;
  side?: string;
  lang?: string;
  /** The styles of the page around the tray. */
  host?: string;
}

async function clientOf({ state, panel, scene, part }: Entry): Promise<PagesideClient> {
  if (part === "Links") return shareScenes[scene!]!.client();
  if (!scene) {
    const client = fakeClient(states[state ?? "empty"]);
    return panel ? withPage(client, panel) : client;
  }
  const run = runScenes[scene];
  const agent = scriptedAgent(
    [
      { when: "slowly", reply: ["One moment.", pause(600_000)] },
      { reply: run && part === "Played runs" ? run.reply : ({ message }) => `You said: ${message}` },
    ],
    { model: "openai/gpt-5-mini", ...(scene === "models" && { choices }) },
  );
  const client = createPagesideClient({ fetch: agent.fetch, memory: "none" });
  furnish(client);
  return client;
}

/** What users may choose from, one with a name that is too long. */
const choices: readonly OfferedModel[] = [
  { id: "quick", label: "Quick" },
  { id: "thorough", label: "Thorough, for long investigations", efforts: ["low", "medium", "high"] },
];

function Stage({ entry, client, options }: { entry: Entry; client: PagesideClient; options: Options }) {
  const isDark = options.theme === "dark";
  const tray = (
    <AssistantTray
      theme={isDark ? "dark" : "light"}
      pageName="Discover"
      labels={options.lang === "de" ? german : undefined}
      layout={entry.layout}
      density={options.density === "compact" ? "compact" : undefined}
      side={options.side === "start" ? "start" : undefined}
      suggestions={[
        "Which pages give the most 404s?",
        "Why are there so few results?",
        "When did the errors begin, and which clients caused most of them?",
      ]}
    />
  );
  return (
    <AssistantProvider client={client} defaultOpen={!entry.closed}>
      <Handlers />
      <main
        style={{
          font: "14px/1.5 system-ui",
          padding: 24,
          paddingInlineEnd: "calc(24px + var(--ps-tray-inset, 0px))",
          minHeight: "100vh",
          boxSizing: "border-box",
          background: isDark ? "#0e0f12" : "#f4f5f7",
          color: isDark ? "#ddd" : "#333",
        }}
      >
        <h1 style={{ fontSize: 20 }}>Discover</h1>
        {entry.layout === "inline" && <div style={{ blockSize: 640, maxInlineSize: 520 }}>{tray}</div>}
      </main>
      {entry.layout !== "inline" && tray}
    </AssistantProvider>
  );
}

/** The page's address, which some states change. */
const address = location.href;

let root: Root | undefined;
let client: PagesideClient | undefined;

/** Replaces what was shown before, as if the page were new. Resolves when it is shown. */
async function show(id: string | null, options: Options): Promise<void> {
  const entry = entries.find((each) => each.id === id) ?? entries[0]!;
  root?.unmount();
  client?.destroy();
  document.documentElement.dir = options.dir ?? (entry.state === "rtl" ? "rtl" : "ltr");
  localStorage.clear();
  sessionStorage.clear();
  localStorage.setItem("pageside:tray", JSON.stringify({ open: !entry.closed }));
  history.replaceState(null, "", address);
  client = await clientOf(entry);
  Object.assign(globalThis, { client });
  root = createRoot(document.getElementById("root")!);
  root.render(<Stage entry={entry} client={client} options={options} />);
  await one(entry.closed ? ".ps-launcher" : ".ps-input");
  if (entry.panel) await openPanel(entry.panel);
  // it asks when typing has paused
  if (entry.panel === "history-search") await one(".ps-root mark");
  if (entry.part === "Message box") await boxScenes[entry.scene!]!(client);
  if (entry.part === "Links") await shareScenes[entry.scene!]!.play();
  if (entry.part === "Played runs") await playRun(runScenes[entry.scene!]!);
}

const { entry, ...options }: Options & { entry?: string } = Object.fromEntries(new URLSearchParams(location.search));
document.body.style.margin = "0";
for (const place of ["prepend", "append"] as const) {
  const style = document.createElement("style");
  style.textContent = hostStyles[options.host ?? ""] ?? "";
  document.head[place](style);
}
Object.assign(globalThis, { gallery: { entries, show } });

/** `data-ready` on the root element says that the state is shown, or what went wrong. */
show(entry ?? null, options).then(
  () => (document.documentElement.dataset.ready = "yes"),
  (error: unknown) => {
    document.documentElement.dataset.ready = String(error);
    throw error;
  },
);
