// A page to look at the tray in every state: /?state=answer&theme=dark&dir=rtl&play=1
import "@pageside/react/tray.css";
import { createRoot } from "react-dom/client";
import { AssistantProvider } from "../src/provider.js";
import { AssistantTray, german, type TrayLayout } from "../src/tray/index.js";
import { fakeClient } from "./fakeClient.js";
import { hostStyles } from "./hostStyles.js";
import { Handlers } from "./Handlers.js";
import { openPanel, withPage, type PanelName } from "./panels.js";
import { states } from "./states.js";

const query = new URLSearchParams(location.search);
const name = query.get("state") ?? "empty";
const panel = query.get("panel") as PanelName | null;
const client = panel ? withPage(fakeClient(states[name]), panel) : fakeClient(states[name]);
const theme = (query.get("theme") ?? "auto") as "auto" | "light" | "dark";
const wide = query.get("width");
const layout = (query.get("layout") as TrayLayout | null) ?? undefined;

document.body.style.margin = "0";
for (const place of ["prepend", "append"] as const) {
  const style = document.createElement("style");
  style.textContent = hostStyles[query.get("host") ?? ""] ?? "";
  document.head[place](style);
}
document.documentElement.dir = query.get("dir") ?? "ltr";
localStorage.setItem(
  "pageside:tray",
  JSON.stringify({ open: query.get("open") !== "0", width: wide ? Number(wide) : undefined }),
);
if (query.has("play")) play(client, Number(query.get("play")) || 20);
Object.assign(globalThis, { client });

createRoot(document.getElementById("root")!).render(
  <AssistantProvider client={client} defaultOpen={query.get("open") !== "0"}>
    <Page />
    <Handlers />
    <div style={layout === "inline" ? { position: "fixed", inset: 40 } : { display: "contents" }}>
      <AssistantTray
        theme={theme}
        pageName="Discover"
        labels={query.get("lang") === "de" ? german : undefined}
        layout={layout}
        density={query.has("compact") ? "compact" : undefined}
        side={query.get("side") === "start" ? "start" : "end"}
        suggestions={[
          "Which pages give the most 404s?",
          "Why are there so few results?",
          "When did the errors begin, and which clients caused most of them?",
        ]}
      />
    </div>
  </AssistantProvider>,
);

if (panel) void openPanel(panel);

function Page() {
  return (
    <main
      style={{
        font: "14px/1.5 system-ui",
        paddingBlock: 24,
        paddingInlineStart: 24,
        paddingInlineEnd: "calc(24px + var(--ps-tray-inset, 0px))",
        minHeight: "100vh",
        boxSizing: "border-box",
        background: theme === "dark" ? "#0e0f12" : "#f4f5f7",
        color: theme === "dark" ? "#ddd" : "#333",
      }}
    >
      <h1 style={{ fontSize: 20 }}>Discover</h1>
      <p style={{ display: "flex", flexWrap: "wrap", gap: 12 }}>
        {Object.keys(states).map((state) => (
          <a key={state} href={`?state=${state}&theme=${theme}`} style={{ color: "inherit" }}>
            {state}
          </a>
        ))}
      </p>
    </main>
  );
}

/** Streams the answer of the state, `step` characters at a time. */
function play(fake: ReturnType<typeof fakeClient>, step: number) {
  const { messages } = fake.getSnapshot();
  const last = messages.at(-1);
  if (last?.role !== "assistant" || typeof last.content !== "string") return;
  const text = last.content;
  let shown = 0;
  const timer = setInterval(() => {
    shown = Math.min(shown + step, text.length);
    const done = shown === text.length;
    fake.show({
      messages: [...messages.slice(0, -1), { ...last, content: text.slice(0, shown) }],
      status: done ? "idle" : "streaming",
      streamingMessageId: done ? undefined : last.id,
    });
    if (done) clearInterval(timer);
  }, 50);
}
