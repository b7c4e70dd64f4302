// A chat with useChat, as docs/reference/ai-sdk.md shows it.
import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { StrictMode, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { Reasoning, Text, Tool } from "./shown.jsx";
import { chat, colour, load, paint, server } from "./tools.js";

const api = `${server}/v1/ai-sdk/default`;

function Chat({ messages: loaded }) {
  const transport = useMemo(
    () => new DefaultChatTransport({ api, body: { tools: { paint: { description: "Paints.", parameters: colour } } } }),
    [],
  );
  const { messages, sendMessage, regenerate, stop, status, error, addToolOutput, addToolApprovalResponse } = useChat({
    id: chat,
    messages: loaded,
    resume: true,
    transport,
    onToolCall({ toolCall: { toolName, toolCallId, input } }) {
      if (toolName === "paint") void addToolOutput({ tool: toolName, toolCallId, output: paint(input) });
    },
    sendAutomaticallyWhen: (c) =>
      lastAssistantMessageIsCompleteWithToolCalls(c) || lastAssistantMessageIsCompleteWithApprovalResponses(c),
  });
  const [text, setText] = useState("");
  const send = (event) => {
    event.preventDefault();
    void sendMessage({ text });
    setText("");
  };
  const end = () => {
    void stop();
    void fetch(`${api}/${chat}/stream`, { method: "DELETE" });
  };
  const busy = status === "submitted" || status === "streaming";
  return (
    <main aria-busy={busy}>
      {messages.map((m) => (
        <article key={m.id} aria-label={m.role}>
          {m.parts.map((part, i) => (
            <Part key={i} part={part} answer={(id, approved) => void addToolApprovalResponse({ id, approved })} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(e) => setText(e.target.value)} />
        <button disabled={busy}>Send</button>
      </form>
      {busy && <button onClick={end}>Stop</button>}
      {!busy && messages.length > 0 && <button onClick={() => void regenerate()}>Regenerate</button>}
    </main>
  );
}

function Part({ part, answer }) {
  if (part.type === "text") return <Text text={part.text} />;
  if (part.type === "reasoning") return <Reasoning text={part.text} />;
  if (!isToolUIPart(part)) return null;
  const waits = part.state === "approval-requested";
  return (
    <Tool
      name={getToolName(part)}
      input={part.input}
      output={part.output ?? part.errorText}
      answer={waits && ((approved) => answer(part.approval.id, approved))}
    />
  );
}

const loaded = await load(`/v1/ai-sdk/default/${chat}`);
createRoot(document.getElementById("root")).render(
  <StrictMode>
    <Chat messages={loaded?.messages} />
  </StrictMode>,
);
