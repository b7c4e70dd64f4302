// assistant-ui over the AI SDK: its own useChatRuntime, or with ?own a useChat of the application,
// which can load a chat and resume it.
import { useChat } from "@ai-sdk/react";
import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { AssistantChatTransport, useAISDKRuntime, useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { StrictMode, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { Thread } from "./thread.jsx";
import { chat, load, params, server } from "./tools.js";

const api = `${server}/v1/ai-sdk/default`;
const sendAutomaticallyWhen = (c) =>
  lastAssistantMessageIsCompleteWithToolCalls(c) || lastAssistantMessageIsCompleteWithApprovalResponses(c);

function Ready() {
  const transport = useMemo(() => new AssistantChatTransport({ api }), []);
  const runtime = useChatRuntime({ transport, sendAutomaticallyWhen });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread />
    </AssistantRuntimeProvider>
  );
}

function Own({ messages }) {
  const transport = useMemo(
    () =>
      new AssistantChatTransport({
        api,
        prepareSendMessagesRequest: ({ body, messages, trigger, messageId }) => ({
          body: { ...body, id: chat, messages, trigger, messageId },
        }),
      }),
    [],
  );
  const runtime = useAISDKRuntime(useChat({ id: chat, messages, resume: true, transport, sendAutomaticallyWhen }));
  transport.setRuntime(runtime);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread />
    </AssistantRuntimeProvider>
  );
}

const loaded = await load(`/v1/ai-sdk/default/${chat}`);
createRoot(document.getElementById("root")).render(
  <StrictMode>{params.has("own") ? <Own messages={loaded?.messages} /> : <Ready />}</StrictMode>,
);
