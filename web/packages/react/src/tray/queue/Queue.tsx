import type { PagesideClient, QueuedMessage, ThreadSnapshot } from "@pageside/core";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { useAssistantContext } from "../../context.js";
import { useComposerLabels } from "../../labels/composer.js";
import { Button, IconButton } from "../../ui/Button.js";
import { ArrowDownIcon, ArrowUpIcon, BoltIcon, CloseIcon, PencilIcon } from "../../ui/icons.js";
import { PaperclipIcon } from "../../ui/partIcons.js";
import { moveQueued, sendQueuedNow } from "./sendNow.js";

/** The props of `<Queue>`. */
export interface QueueProps extends Pick<ThreadSnapshot, "queue" | "queueHeld"> {
  /** Puts the focus into the composer when the message that had it is gone. */
  onLeave: () => void;
}

/** The control that is to have the focus once the queue has `count` messages again. */
interface NextFocus {
  at: number;
  control: string;
  count: number;
}

const NEXT_FOCUS = Symbol("next focus of the queue");

/**
 * Kept with the client: messages that are sent again have other ids, and for a moment there may be
 * no queue at all.
 */
const nextFocusOf = (client: PagesideClient) => client.extension<{ next?: NextFocus }>(NEXT_FOCUS, () => ({}));

/** Messages that wait for the end of the answer, above the composer. */
export function Queue({ queue, queueHeld, onLeave }: QueueProps) {
  const { client } = useAssistantContext("Queue");
  const labels = useComposerLabels();
  const list = useRef<HTMLUListElement>(null);
  const focusLater = useNextFocus(client, queue, list);

  const move = (from: number, to: number, control: string) => {
    if (to < 0 || to >= queue.length || queueHeld) return;
    const ends = (control === "up" && to === 0) || (control === "down" && to === queue.length - 1);
    const other = control === "up" ? "down" : "up";
    focusLater({ at: to, control: ends ? other : control, count: queue.length });
    void moveQueued(client, from, to);
  };
  const remove = (at: number) => {
    if (queue.length === 1) onLeave();
    else focusLater({ at: Math.min(at, queue.length - 2), control: "remove", count: queue.length - 1 });
    void client.removeQueued(queue[at]!.id);
  };

  return (
    <div className="ps-queue" role="group" aria-label={labels.queue}>
      <div className="ps-queue-head ps-row">
        <p className="ps-muted ps-text-xs">{queueHeld ? labels.notSent : labels.queueHint}</p>
        {queueHeld && (
          <Button
            onClick={() => {
              onLeave();
              void client.sendQueue();
            }}
          >
            {labels.sendNow}
          </Button>
        )}
      </div>
      <ul ref={list}>
        {queue.map((message, at) => (
          <Queued
            key={message.id}
            message={message}
            canMove={!queueHeld && queue.length > 1}
            isFirst={at === 0}
            isLast={at === queue.length - 1}
            onMove={(by, control) => move(at, at + by, control)}
            onRemove={() => remove(at)}
            onSendNow={() => {
              onLeave();
              void sendQueuedNow(client, message.id);
            }}
          />
        ))}
      </ul>
    </div>
  );
}

/** Moves the focus to a control once the queue has changed. */
function useNextFocus(
  client: PagesideClient,
  queue: readonly QueuedMessage[],
  list: RefObject<HTMLElement | null>,
): (next: NextFocus) => void {
  useEffect(() => {
    const held = nextFocusOf(client);
    const { next } = held;
    const item = next && queue.length === next.count ? list.current?.children[next.at] : undefined;
    if (!next || !item) return;
    held.next = undefined;
    const target = item.querySelector<HTMLElement>(`[data-control="${next.control}"]`) ?? item.querySelector("button");
    target?.focus();
  }, [client, queue, list]);
  return (next) => {
    nextFocusOf(client).next = next;
  };
}

interface QueuedProps {
  message: QueuedMessage;
  canMove: boolean;
  isFirst: boolean;
  isLast: boolean;
  onMove: (by: 1 | -1, control: string) => void;
  onRemove: () => void;
  onSendNow: () => void;
}

/** One message. Alt with an arrow moves it from any of its controls. */
function Queued({ message, canMove, isFirst, isLast, onMove, onRemove, onSendNow }: QueuedProps) {
  const { client } = useAssistantContext("Queue");
  const labels = useComposerLabels();
  const [draft, setDraft] = useState<string>();
  const edit = useRef<HTMLButtonElement>(null);
  const { id, attachments = [] } = message;
  const text = message.text || attachments.map(({ name }) => name).join(", ");

  const leave = (save: boolean) => {
    if (draft === undefined) return;
    if (save && draft.trim() && draft !== message.text) void client.editQueued(id, draft.trim());
    setDraft(undefined);
    setTimeout(() => edit.current?.focus());
  };
  const onMoveKey = (event: KeyboardEvent) => {
    const by = event.altKey && { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key];
    if (!by || !canMove) return;
    event.preventDefault();
    onMove(by, (event.target as HTMLElement).dataset.control ?? "edit");
  };

  if (draft !== undefined) return <Editor draft={draft} onDraft={setDraft} onLeave={leave} />;
  const control = (name: string, label: string, icon: ReactNode, act: () => void) => (
    <IconButton
      isSmall
      ref={name === "edit" ? edit : undefined}
      data-control={name}
      label={`${label}: ${text}`}
      title={label}
      onClick={act}
    >
      {icon}
    </IconButton>
  );
  return (
    <li onKeyDown={onMoveKey}>
      {attachments.length > 0 && <PaperclipIcon />}
      <span className="ps-grow ps-cut" dir="auto" title={text}>
        {text}
      </span>
      {canMove && !isFirst && control("up", labels.move(-1), <ArrowUpIcon />, () => onMove(-1, "up"))}
      {canMove && !isLast && control("down", labels.move(1), <ArrowDownIcon />, () => onMove(1, "down"))}
      {control("now", labels.steer, <BoltIcon />, onSendNow)}
      {control("edit", labels.editMessage, <PencilIcon />, () => setDraft(message.text))}
      {control("remove", labels.remove, <CloseIcon />, onRemove)}
    </li>
  );
}

interface EditorProps {
  draft: string;
  onDraft: (draft: string) => void;
  onLeave: (save: boolean) => void;
}

/** A message being changed: Enter and leaving it save, Escape does not. */
function Editor({ draft, onDraft, onLeave }: EditorProps) {
  const labels = useComposerLabels();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    onLeave(event.key === "Enter");
  };
  return (
    <li>
      <textarea
        className="ps-text-field"
        aria-label={labels.editMessage}
        dir="auto"
        rows={2}
        autoFocus
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => onLeave(true)}
      />
    </li>
  );
}
