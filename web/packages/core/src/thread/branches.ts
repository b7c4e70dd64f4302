/**
 * Editing, regenerating, and the branches that come of it: nothing of a thread is ever overwritten.
 */
import { toClientError } from "../protocol/failure.js";
import { newId } from "../base/id.js";
import { load } from "./load.js";
import type { Session } from "./session.js";
import { withText } from "../protocol/user-message.js";
import type { Branch, Message, SendOptions } from "./types.js";

interface Run {
  id: string;
  /** Absent for one that begins a branch before every other run. */
  parentRunId?: string;
  current: boolean;
  createdAt: string;
  /** The first user message the run brought. */
  userMessage?: { id: string; preview: string };
}

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

export function regenerate(session: Session, messageId: string): Promise<void> {
  return replace(
    session,
    () => questionOf(session, messageId),
    (content) => content,
    [],
  );
}

/** Asks anew in the place of a user message, with other words or the same. */
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
    const message: Message = { ...old, id: newId(), content: rewrite(old.content) } as Message;
    const at = thread.view.messages.indexOf(old);
    if (at < 0) {
      thread.unsent = thread.unsent.filter((unsent) => unsent !== old); // it was never taken
    } else {
      session.replaces = old.id;
      thread.set({ messages: thread.view.messages.slice(0, at), interrupts: [], stoppedMessageIds: [] }, false);
    }
    await session.ask(message, mentions);
    await refreshBranches(session).catch(() => undefined);
  });
  session.setQueue(thread.view.queue, false);
  return done;
}

function find({ thread }: Session, messageId: string): Message | undefined {
  return thread.messages().find(({ id }) => id === messageId);
}

/** The user message that a message, or what it is part of, answers. */
function questionOf({ thread }: Session, messageId: string): Message | undefined {
  const messages = thread.messages();
  const at = messages.findIndex(({ id }) => id === messageId);
  return messages.slice(0, at + 1).findLast(({ role }) => role === "user");
}

export async function branches(session: Session, messageId: string): Promise<readonly Branch[]> {
  const runs = await refreshBranches(session);
  const run = runs.find(({ userMessage }) => userMessage?.id === messageId);
  return run ? siblingsOf(run, runs) : [];
}

/** Asks for the thread's runs and keeps what they say of its branches. */
export async function refreshBranches(session: Session): Promise<readonly Run[]> {
  const runs = await readRuns(session);
  const shown = runs.flatMap((run): [string, readonly Branch[]][] => {
    if (!run.current || !run.userMessage) return [];
    const siblings = siblingsOf(run, runs);
    return siblings.length > 1 ? [[run.userMessage.id, siblings]] : [];
  });
  session.thread.set({ branches: Object.fromEntries(shown) });
  return runs;
}

export function switchTo(session: Session, runId: string): Promise<void> {
  return session.enqueue(() => show(session, runId));
}

async function show(session: Session, runId: string): Promise<void> {
  try {
    const head = newestBelow(runId, await readRuns(session));
    await session.shared.http.send(pathOf(session), { method: "PATCH", json: { head } });
  } catch (cause) {
    return session.fail(toClientError(cause), () => show(session, runId));
  }
  await load(session);
}

/** The end of the branch: of several, the one that was begun last. */
function newestBelow(runId: string, runs: readonly Run[]): string {
  for (let head = runId; ;) {
    const next = runs.findLast(({ parentRunId }) => parentRunId === head);
    if (!next) return head;
    head = next.id;
  }
}

/**
 * Runs with one parent, in the order in which they began: the branches at the message they brought.
 */
function siblingsOf(run: Run, runs: readonly Run[]): readonly Branch[] {
  return runs.flatMap(({ id, parentRunId, current, createdAt, userMessage }) =>
    userMessage && parentRunId === run.parentRunId
      ? [{ runId: id, messageId: userMessage.id, preview: userMessage.preview, createdAt, current }]
      : [],
  );
}

async function readRuns(session: Session): Promise<readonly Run[]> {
  const response = await session.shared.http.send(`${pathOf(session)}/runs`, { signal: session.closed.signal });
  return ((await response.json()) as { runs: Run[] }).runs;
}

function pathOf({ thread }: Session): string {
  return `/v1/threads/${encodeURIComponent(thread.view.threadId)}`;
}
