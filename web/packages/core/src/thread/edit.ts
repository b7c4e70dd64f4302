/** Edits and regenerates, which begin branches, and switches between branches. */
import { newId } from "../base/values.js";
import { toClientError } from "../protocol/failure.js";
import type { Attachment, Message } from "../protocol/types.js";
import { readRuns, refreshBranches, type Run } from "./branches.js";
import { load } from "./load.js";
import type { Session } from "./session.js";
import { httpOf, pathOfThread } from "./shared.js";
import type { SendOptions } from "./types.js";
import { textPart, toPart } from "./user-message.js";

/** Replaces a user message and asks again. */
export function edit(
  session: Session,
  messageId: string,
  text: string,
  { mentions = [], attachments }: SendOptions = {},
): Promise<void> {
  const rewrite = (content: Message["content"]) =>
    text.trim() === "" && !attachments ? content : withText(content, text, attachments);
  return replace(session, () => find(session, messageId), rewrite, mentions);
}

/** Asks the same again. */
export function regenerate(session: Session, messageId: string): Promise<void> {
  return replace(
    session,
    () => questionOf(session, messageId),
    (content) => content,
    [],
  );
}

/** Replaces a user message, with the same text or another, and asks again. */
function replace(
  session: Session,
  question: () => Message | undefined,
  rewrite: (content: Message["content"]) => Message["content"],
  mentions: readonly string[],
): Promise<void> {
  const { thread } = session;
  const done = session.enqueue(async () => {
    const old = question();
    if (old?.role !== "user") return;
    const message = { ...old, id: newId(), content: rewrite(old.content) } as Message;
    const at = thread.data.messages.indexOf(old);
    if (at < 0) {
      thread.update(({ unsent, ...data }) => ({ ...data, unsent: unsent.filter((each) => each !== old) }), "soon"); // it was never taken
    } else {
      session.replaces = old.id;
      thread.update({ messages: thread.data.messages.slice(0, at), questions: [], stoppedMessageIds: [] }, "soon");
    }
    await session.ask(message, mentions);
    await refreshBranches(session).catch(() => undefined);
  });
  session.setQueue(thread.data.queue, false);
  return done;
}

function find({ thread }: Session, messageId: string): Message | undefined {
  return thread.messages().find(({ id }) => id === messageId);
}

/** The user message to which a message, or its answer, belongs. */
function questionOf({ thread }: Session, messageId: string): Message | undefined {
  const messages = thread.messages();
  const at = messages.findIndex(({ id }) => id === messageId);
  return messages.slice(0, at + 1).findLast(({ role }) => role === "user");
}

/** Shows the branch that a run belongs to. */
export function switchTo(session: Session, runId: string): Promise<void> {
  return session.enqueue(() => show(session, runId));
}

async function show(session: Session, runId: string): Promise<void> {
  try {
    const head = newestBelow(runId, await readRuns(session));
    await httpOf(session.shared).send(pathOfThread(session.thread.data.threadId), { method: "PATCH", json: { head } });
  } catch (cause) {
    return session.fail(toClientError(cause), () => show(session, runId));
  }
  await load(session);
}

/** The end of the branch, following the newest run at each fork. */
function newestBelow(runId: string, runs: readonly Run[]): string {
  for (let head = runId; ;) {
    const next = runs.findLast(({ parentRunId }) => parentRunId === head);
    if (!next) return head;
    head = next.id;
  }
}

/** The content of a message with another text. Its attachments stay unless new ones are given. */
function withText(content: Message["content"], text: string, attachments?: readonly Attachment[]) {
  const old = Array.isArray(content) ? content.filter(({ type }) => type !== "text") : [];
  const files = attachments ? attachments.map(toPart) : old;
  return files.length > 0 ? [...textPart(text), ...files] : text;
}
