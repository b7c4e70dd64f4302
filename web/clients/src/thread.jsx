// A thread of assistant-ui, made of its primitives.
import {
  ActionBarPrimitive,
  AuiIf,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useAssistantTool,
  useAuiState,
} from "@assistant-ui/react";
import { Reasoning, Text, Tool } from "./shown.jsx";
import { colour, paint } from "./tools.js";

function ToolCall({ toolName, args, result, approval, respondToApproval }) {
  const waits = approval && approval.approved === undefined && !approval.resolution;
  return (
    <Tool
      name={toolName}
      input={args}
      output={result}
      answer={waits && ((approved) => void respondToApproval({ approved }))}
    />
  );
}

function User() {
  return (
    <MessagePrimitive.Root aria-label="user" role="article">
      <MessagePrimitive.Parts components={{ Text }} />
    </MessagePrimitive.Root>
  );
}

function Assistant() {
  return (
    <MessagePrimitive.Root aria-label="assistant" role="article">
      <MessagePrimitive.Parts components={{ Text, Reasoning, tools: { Fallback: ToolCall } }} />
      <MessagePrimitive.Error>
        <ErrorPrimitive.Root role="alert">
          <ErrorPrimitive.Message />
        </ErrorPrimitive.Root>
      </MessagePrimitive.Error>
      <ActionBarPrimitive.Root hideWhenRunning autohide="not-last">
        <ActionBarPrimitive.Reload>Regenerate</ActionBarPrimitive.Reload>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}

export function Thread() {
  useAssistantTool({
    toolName: "paint",
    description: "Paints.",
    parameters: colour,
    execute: async (args) => paint(args),
  });
  const busy = useAuiState((s) => s.thread.isRunning);
  return (
    <ThreadPrimitive.Root>
      <main aria-busy={busy}>
        <ThreadPrimitive.Messages components={{ UserMessage: User, AssistantMessage: Assistant }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <AuiIf condition={(s) => s.thread.isRunning}>
            <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
          </AuiIf>
        </ComposerPrimitive.Root>
      </main>
    </ThreadPrimitive.Root>
  );
}
