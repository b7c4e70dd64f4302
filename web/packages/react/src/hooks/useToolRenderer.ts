import type { PagesideClient } from "@pageside/core";
import { useCallback, useSyncExternalStore } from "react";
import { useAssistantContext } from "../context.js";
import { toRenderProps, type ToolRenderer, type ToolRenderProps } from "./toolRenderers.js";

/**
 * How the calls of one tool are drawn, or `undefined` where no component registered a `render` for
 * it. For trays of your own; `<AssistantTray>` uses it.
 *
 * @example
 * const renderer = useToolRenderer(call.name);
 * return renderer ? <>{renderer(call)}</> : <DefaultToolCard call={call} />;
 */
export function useToolRenderer(name: string): ToolRenderer | undefined {
  const { client, renderers } = useAssistantContext("useToolRenderer");
  const read = () => renderers.last(name);
  const render = useSyncExternalStore(renderers.subscribe, read, read);
  const draw = useCallback<ToolRenderer>(
    (call) => render?.(toRenderProps(call, respondTo(client, call.id))) ?? null,
    [client, render],
  );
  return render && draw;
}

/** Answers the question that waits for a call. A call changes together with its question. */
function respondTo(client: PagesideClient, callId: string): ToolRenderProps["respond"] {
  const question = client.getSnapshot().questions.find(({ toolCallId }) => toolCallId === callId);
  return question && ((answer) => void client.answer(question.id, answer));
}
