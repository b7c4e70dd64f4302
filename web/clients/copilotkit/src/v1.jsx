// An application with the hooks and components of CopilotKit's v1.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import {
  CopilotKit,
  useCoAgent,
  useCopilotAction,
  useCopilotChatInternal,
  useCopilotChatSuggestions,
  useCopilotReadable,
  useLangGraphInterrupt,
} from "@copilotkit/react-core";
import { CopilotChat } from "@copilotkit/react-ui";
import "@copilotkit/react-ui/styles.css";
import { Chart, Interrupt, Page, Seats, basket, wanted } from "./page.jsx";

function Application({ error }) {
  const [colour, setColour] = useState("white");
  const { state, setState } = useCoAgent({ name: "default" });
  const { messages, setMessages, sendMessage } = useCopilotChatInternal();

  useCopilotReadable({ description: "The basket", value: basket });
  useCopilotAction({
    name: "paint",
    description: "Paints the page.",
    parameters: [{ name: "colour", type: "string", description: "a colour", required: true }],
    handler: async ({ colour }) => {
      setColour(colour);
      return `painted ${colour}`;
    },
  });
  useCopilotAction({
    name: "show_chart",
    description: "Shows a chart.",
    parameters: [
      { name: "title", type: "string", required: true },
      { name: "values", type: "number[]", required: true },
    ],
    handler: async () => "shown",
    render: ({ args, status }) => <Chart {...args} status={status} />,
  });
  useCopilotAction({
    name: "choose_seat",
    description: "Lets the user choose a seat.",
    parameters: [{ name: "seats", type: "string[]", required: true }],
    renderAndWaitForResponse: ({ args, respond, result }) => (
      <Seats seats={args.seats} respond={respond} result={result} />
    ),
  });
  useCopilotAction({
    name: "*",
    render: ({ name, status, result }) => (
      <p data-testid={`tool-${name}`}>
        {status} {typeof result === "string" ? result : JSON.stringify(result)}
      </p>
    ),
  });
  useLangGraphInterrupt({
    render: ({ event, resolve }) => <Interrupt interrupt={event.value} resolve={resolve} />,
  });
  const edit = async () => {
    const asked = messages.findLastIndex((message) => message.role === "user");
    setMessages(messages.slice(0, asked));
    await sendMessage({ id: crypto.randomUUID(), role: "user", content: prompt("Ask instead") });
  };
  return (
    <>
      <Page colour={colour} state={state} setState={setState} error={error}>
        <button onClick={edit}>Edit</button>
      </Page>
      {wanted.suggestions && <Suggestions />}
      <main>
        <CopilotChat renderError={({ message }) => <p data-testid="chat-error">{message}</p>} />
      </main>
    </>
  );
}

function Suggestions() {
  useCopilotChatSuggestions({ instructions: "What fits next?", maxSuggestions: 2, available: "always" });
  return null;
}

function Root() {
  const [error, setError] = useState("");
  return (
    <CopilotKit
      runtimeUrl={wanted.runtimeUrl}
      threadId={wanted.threadId}
      useSingleEndpoint={wanted.single}
      showDevConsole={false}
      enableInspector={false}
      onError={({ error }) => setError(String(error?.message ?? error))}
    >
      <Application error={error} />
    </CopilotKit>
  );
}

createRoot(document.getElementById("root")).render(<Root />);
