// assistant-ui over AG-UI, with its own markdown, tables and lists, as its documentation has them.
import { HttpAgent } from "@ag-ui/client";
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  ExportedMessageRepository,
  MessagePrimitive,
  ThreadPrimitive,
} from "@assistant-ui/react";
import { fromAgUiMessages, useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown";
import { useMemo } from "react";
import { createRoot } from "react-dom/client";
import remarkGfm from "remark-gfm";
import { chat, server } from "./where.js";

/** All messages of the chat; none of one that has not begun. */
async function load() {
  const all = [];
  for (let before = ""; ;) {
    const response = await fetch(`${server}/v1/threads/${chat}/messages?limit=200${before}`);
    if (!response.ok) return all;
    const { messages, next } = await response.json();
    all.unshift(...messages.map(({ message }) => message));
    if (!next) return all;
    before = `&before=${next}`;
  }
}

const history = {
  load: async () => ExportedMessageRepository.fromArray(fromAgUiMessages(await load())),
  async append() {}, // the server has it
};

const gfm = [remarkGfm];
const Markdown = () => <MarkdownTextPrimitive remarkPlugins={gfm} />;
const parts = { Text: Markdown };

const User = () => (
  <MessagePrimitive.Root className="user">
    <MessagePrimitive.Parts />
  </MessagePrimitive.Root>
);

const Assistant = () => (
  <MessagePrimitive.Root className="assistant">
    <MessagePrimitive.Parts components={parts} />
  </MessagePrimitive.Root>
);

const messages = { UserMessage: User, AssistantMessage: Assistant };

function App() {
  const agent = useMemo(() => new HttpAgent({ url: `${server}/v1/agents/default/run`, threadId: chat }), []);
  const runtime = useAgUiRuntime({ agent, adapters: { history } });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root className="thread">
        <ThreadPrimitive.Viewport className="viewport">
          <ThreadPrimitive.Messages components={messages} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input />
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.getElementById("root")).render(<App />);
