// An application with the hooks and components of CopilotKit's v2.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import {
  CopilotChat,
  CopilotChatConfigurationProvider,
  CopilotKit,
  CopilotKitProvider,
  useAgent,
  useAgentContext,
  useComponent,
  useConfigureSuggestions,
  useCopilotKit,
  useFrontendTool,
  useHumanInTheLoop,
  useInterrupt,
  useRenderTool,
  useThreads,
} from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { z } from "zod";
import { Chart, Interrupt, Page, Seats, basket, wanted } from "./page.jsx";

function Application({ error }) {
  const [colour, setColour] = useState("white");
  const { agent } = useAgent();
  const { copilotkit } = useCopilotKit();

  useAgentContext({ description: "The basket", value: basket });
  useFrontendTool({
    name: "paint",
    description: "Paints the page.",
    parameters: z.object({ colour: z.string() }),
    handler: async ({ colour }) => {
      setColour(colour);
      return `painted ${colour}`;
    },
  });
  useComponent({
    name: "show_chart",
    description: "a chart",
    parameters: z.object({ title: z.string(), values: z.array(z.number()) }),
    render: Chart,
  });
  useHumanInTheLoop({
    name: "choose_seat",
    description: "Lets the user choose a seat.",
    parameters: z.object({ seats: z.array(z.string()) }),
    render: ({ args, respond, result }) => <Seats seats={args.seats} respond={respond} result={result} />,
  });
  useInterrupt({ render: ({ interrupt, resolve }) => <Interrupt interrupt={interrupt} resolve={resolve} /> });
  useRenderTool({
    name: "*",
    render: ({ name, status, result }) => (
      <p data-testid={`tool-${name}`}>
        {status} {result}
      </p>
    ),
  });
  useConfigureSuggestions(
    wanted.suggestions ? { instructions: "What fits next?", maxSuggestions: 2, available: "always" } : null,
  );

  /** Runs again from before a message, as applications do: CopilotChat wires neither button. */
  const again = async (id, content) => {
    const at = agent.messages.findIndex((message) => message.id === id);
    const asked = agent.messages.slice(0, at + 1).findLastIndex((message) => message.role === "user");
    const kept = agent.messages.slice(0, asked + 1);
    agent.setMessages(content ? [...kept.slice(0, -1), { ...kept.at(-1), id: crypto.randomUUID(), content }] : kept);
    await copilotkit.runAgent({ agent });
  };
  return (
    <>
      <Page colour={colour} state={agent.state} setState={(state) => agent.setState(state)} error={error}>
        {wanted.threads && <Threads />}
      </Page>
      <main>
        <CopilotChat
          messageView={{
            assistantMessage: { onRegenerate: (message) => again(message.id) },
            userMessage: { onEditMessage: ({ message }) => again(message.id, prompt("Ask instead")) },
          }}
        />
      </main>
    </>
  );
}

/** The user's threads, as an application would list them. */
function Threads() {
  const { threads, renameThread, archiveThread, deleteThread } = useThreads({ agentId: "default" });
  return (
    <ul data-testid="threads">
      {threads.map(({ id, name }) => (
        <li key={id} data-thread={id}>
          <span>{name ?? "unnamed"}</span>
          <button onClick={() => renameThread(id, "Renamed")}>Rename</button>
          <button onClick={() => archiveThread(id)}>Archive</button>
          <button onClick={() => deleteThread(id)}>Delete</button>
        </li>
      ))}
    </ul>
  );
}

function Root() {
  const [error, setError] = useState("");
  // only the older provider, which v2 has too, shows predictions
  const Provider = wanted.predictions ? CopilotKit : CopilotKitProvider;
  return (
    <Provider
      runtimeUrl={wanted.runtimeUrl}
      useSingleEndpoint={wanted.single}
      showDevConsole={false}
      enableInspector={false}
      onError={({ code, error }) => setError(`${code}: ${error.message}`)}
    >
      <CopilotChatConfigurationProvider agentId="default" threadId={wanted.threadId}>
        <Application error={error} />
      </CopilotChatConfigurationProvider>
    </Provider>
  );
}

createRoot(document.getElementById("root")).render(<Root />);
