import type { Message } from "@pageside/core";
import { useAssistantSnapshot } from "./useAssistant.js";

/**
 * One message of the thread; undefined where there is none of that id. The component renders again
 * only when this message changes: each word of an answer draws that answer and nothing else.
 *
 * @example
 * const message = useMessage(id); return <p>{textOf(message?.content)}</p>;
 */
export function useMessage(id: string | undefined): Message | undefined {
  return useAssistantSnapshot(({ messages }) =>
    id === undefined ? undefined : messages.findLast((message) => message.id === id),
  );
}
