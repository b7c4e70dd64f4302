import { textOf, type Message, type ThreadSnapshot } from "@pageside/core";
import { useState } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useMessage } from "../../hooks/useMessage.js";

/**
 * The thread as it was when something last changed beside the text that is being written. What
 * draws that text subscribes to its message; nothing else renders with each word.
 */
export function useSettledThread(): ThreadSnapshot {
  const [settle] = useState(settling);
  return useAssistantSnapshot(settle);
}

/** A text of the settled thread, as far as it is written by now. */
export function useGrowingText(id: string, settled: string, streaming: boolean): string {
  const message = useMessage(streaming ? id : undefined);
  return message ? textOf(message.content) : settled;
}

function settling(): (now: ThreadSnapshot) => ThreadSnapshot {
  let settled: ThreadSnapshot | undefined;
  return (now) => (settled = settled && hasOnlyGrown(settled, now) ? settled : now);
}

/** Reports whether the text that is being written is longer, and all else the same. */
export function hasOnlyGrown(before: ThreadSnapshot, now: ThreadSnapshot): boolean {
  const { messages, streamingMessageId } = now;
  if (messages.length !== before.messages.length || !isSameBut("messages", before, now)) return false;
  return messages.every((message, index) => {
    const old = before.messages[index]!;
    return message === old || (message.id === streamingMessageId && hasGrown(old, message));
  });
}

function hasGrown(before: Message, now: Message): boolean {
  const [old, text] = [textOf(before.content), textOf(now.content)];
  const added = text.slice(old.length);
  // A mark that is complete cites a source, which the answer then lists.
  return old !== "" && text.startsWith(old) && !added.includes("]") && isSameBut("content", before, now);
}

function isSameBut<Value extends object>(key: keyof Value, before: Value, now: Value): boolean {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)] as (keyof Value)[]);
  return [...keys].every((each) => each === key || before[each] === now[each]);
}
