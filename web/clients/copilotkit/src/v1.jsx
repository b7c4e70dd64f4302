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

function Application() {
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
      <Page colour={colour} state={state} setState={setState}>
        <button onClick={edit}>Edit</button>
      </Page>
      {wanted.suggestions && <Suggestions />}
      <main>
        <CopilotChat
          RenderSuggestionsList={Buttons}
          renderError={({ message }) => <p data-testid="error">{message}</p>}
        />
      </main>
    </>
  );
}

/**
 * The suggestions. Each button of CopilotKit's own list connects to the thread again, which makes
 * new suggestions, and so new buttons: with any runtime, without an end.
 */
function Buttons({ suggestions, onSuggestionClick }) {
  return suggestions.map(({ title, message, isLoading }) => (
    <button key={title} data-test-id="suggestion" disabled={isLoading} onClick={() => onSuggestionClick(message)}>
      {title}
    </button>
  ));
}

function Suggestions() {
  useCopilotChatSuggestions({ instructions: "What fits next?", maxSuggestions: 2, available: "always" });
  return null;
}

function Root() {
  return (
    <CopilotKit
      runtimeUrl={wanted.runtimeUrl}
      threadId={wanted.threadId}
      useSingleEndpoint={wanted.single}
      showDevConsole={false}
      enableInspector={false}
    >
      <Application />
    </CopilotKit>
  );
}

createRoot(document.getElementById("root")).render(<Root />);
