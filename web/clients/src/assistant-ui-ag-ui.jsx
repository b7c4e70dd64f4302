// assistant-ui over AG-UI: its useAgUiRuntime with a stock HttpAgent. The history comes from
// Pageside; a question without an answer is run again, which joins the run that answers it.
import { HttpAgent } from "@ag-ui/client";
import { AssistantRuntimeProvider, ExportedMessageRepository } from "@assistant-ui/react";
import { fromAgUiMessages, useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { StrictMode, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { Thread } from "./thread.jsx";
import { chat, load, server } from "./tools.js";

const history = {
  async load() {
    const loaded = await load(`/v1/threads/${chat}/messages`);
    if (!loaded) return { messages: [] };
    const messages = loaded.messages.map((m) => m.message);
    const repository = ExportedMessageRepository.fromArray(fromAgUiMessages(messages));
    return { ...repository, unstable_resume: messages.at(-1)?.role === "user" };
  },
  async append() {}, // the server has it
};

function App() {
  const agent = useMemo(() => new HttpAgent({ url: `${server}/v1/agents/default/run`, threadId: chat }), []);
  const runtime = useAgUiRuntime({ agent, adapters: { history } });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread />
    </AssistantRuntimeProvider>
  );
}

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
