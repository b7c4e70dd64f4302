/**
 * The runs of a thread: sends them, reads their streams, and follows up with the results of tools.
 */
import { newId } from "../base/values.js";
import { prepareContext } from "../page/prepare.js";
import { connect, EventReader } from "../protocol/connection.js";
import { LOST, toClientError } from "../protocol/failure.js";
import { toolCallsOf } from "../protocol/messages.js";
import { cutBy } from "../protocol/pageside.js";
import { endOf, interrupted, type RunEnd } from "../protocol/run-end.js";
import type { ClientError, Message } from "../protocol/types.js";
import { loadRunning } from "../tools/load.js";
import { answerAbandoned, answerCalls } from "./answer-calls.js";
import { accept, applyEvent, settleCalls } from "./apply.js";
import { stopped } from "./control.js";
import { mentionedIn } from "./mentioned.js";
import { resume } from "./reconnect.js";
import { bodyOf, inputOf, pathOfRuns } from "./request.js";
import type { ActiveRun, Session } from "./session.js";
import { httpOf } from "./shared.js";
import { keepWrites } from "./state.js";
import { replaceMessages, watch } from "./thread-stream.js";

/**
 * Tool results lead to a further run, which may call tools again: at most this often per question.
 */
const MAX_FOLLOW_UPS = 25;

/** How often a message waits for a run of another tab. */
const MAX_BUSY = 3;

/** Asks what the user has written, who waits for no earlier call any more. */
export async function ask(session: Session, message: Message, active: ActiveRun): Promise<void> {
  await answerAbandoned(session);
  active.mentions = mentionedIn(session, message, active.mentions);
  await drive(session, active);
}

/**
 * Runs, or continues after a run, and runs again with the results as long as runs call tools of
 * this page.
 */
export async function drive(session: Session, active = session.begin([]), end?: RunEnd): Promise<void> {
  const { signal } = active.controller;
  for (let followUps = 0; followUps <= MAX_FOLLOW_UPS; followUps++) {
    end ??= await run(session, active);
    if (!end || signal.aborted) return;
    if (end.kind === "finished" && !end.cancelled) active.continues = undefined; // results of tools may follow
    if (!(await answerCalls(session, end, active))) return signal.aborted ? undefined : finish(session, end, active);
    end = undefined;
  }
  const message = `The assistant used tools of this page ${MAX_FOLLOW_UPS} times in a row and was stopped.`;
  session.endRun(active);
  session.fail({ code: "follow_up_limit", message, retryable: true }, () =>
    drive(session, session.begin(active.mentions)),
  );
}

/** One run. Resolves with undefined if it was stopped or failed before its end. */
async function run(session: Session, active: ActiveRun, busy = 0): Promise<RunEnd | undefined> {
  const { thread, shared } = session;
  const again = thread.data.unsent.length > 0 ? thread.data.unsent : session.lastSent;
  const messages = active.continues ? [] : (session.lastSent = again);
  thread.update({ status: "submitted", error: undefined });
  if (shared.context.slow().length > 0) {
    await prepareContext(shared, active.mentions, [active.controller.signal, session.closed.signal]);
    if (active.controller.signal.aborted) return undefined;
  }
  active.runId = newId();
  active.before = new Set(thread.messages().map(({ id }) => id));
  shared.memory.write({ threadId: thread.data.threadId, runId: active.runId });
  const input = inputOf(session, active, messages);
  for (const write of session.writes) write.isSent = true;
  active.read = reading(session, active, input, messages);
  return read(session, active, busy < MAX_BUSY ? () => run(session, active, busy + 1) : undefined);
}

/** Reads an active run. `again` restarts it after another run of the thread has ended. */
async function read(
  session: Session,
  active: ActiveRun,
  again?: () => Promise<RunEnd | undefined>,
): Promise<RunEnd | undefined> {
  const { signal } = active.controller;
  try {
    const end = await active.read!();
    active.runId = undefined;
    return end;
  } catch (cause) {
    if (signal.aborted) return undefined;
    const error = toClientError(cause);
    if (error.code !== "thread_busy" || !again) {
      finish(session, { kind: "failed", error }, active);
      return undefined;
    }
    await watch(session, active);
    return signal.aborted ? undefined : again();
  }
}

/** Makes what reads a run to its end, over any number of connections. */
function reading(
  session: Session,
  active: ActiveRun,
  input: ReturnType<typeof inputOf>,
  messages: readonly Message[],
): () => Promise<RunEnd> {
  const { thread, shared } = session;
  const { signal } = active.controller;
  let isAccepted = false;
  // a resumed stream may begin with a snapshot, told as a run of its own
  let isOwn = false;
  let end: RunEnd | undefined;
  const json = bodyOf(session, input);
  const reader: EventReader = new EventReader({
    read: shared.direct?.reader(input),
    apply: (event) => {
      if (signal.aborted) return true;
      if (event.type === "RUN_STARTED") {
        isOwn = event.runId === input.runId || !reader.lastId;
        if (isOwn) {
          isAccepted = true;
          accept(thread, messages);
          if (input.forwardedProps.pageside.stateBase !== undefined) thread.update({ base: input.state }, "soon");
          session.replaces = undefined;
          active.release?.();
        }
      }
      if (event.type === "TOOL_CALL_START" && input.tools.some(({ name }) => name === event.toolCallName)) {
        void loadRunning().catch(() => undefined); // beside the model's writing of the arguments
      }
      // The snapshot of a server that numbers its events is complete.
      if (reader.lastId && event.type === "MESSAGES_SNAPSHOT") replaceMessages(thread, event);
      else applyEvent(session, event);
      end = isOwn ? endOf(event) : undefined;
      return end !== undefined;
    },
    flush: () => (session.lastId = reader.lastId ?? session.lastId),
    opened: () => thread.update({ connection: "live" }, "soon"),
  });
  const post = () => connect(httpOf(shared), pathOfRuns(session), { json }, reader, signal);
  const run = { runId: input.runId, reader, signal, post, isAccepted: () => isAccepted };
  let isBegun = false;
  return async () => {
    let broken: { cause?: unknown } | undefined;
    if (!isBegun) {
      isBegun = true;
      broken = await post().then(
        (done) => (done ? undefined : {}),
        (cause: unknown) => ({ cause }),
      );
      if (signal.aborted) throw signal.reason;
      if (!broken) return end!;
    }
    await resume(session, run, broken);
    return end ?? interrupted();
  };
}

/** Ends an active run, and shows how it ended. */
export function finish(session: Session, end: RunEnd, active: ActiveRun): void {
  const { thread } = session;
  session.endRun(active);
  const isFailed = end.kind === "failed";
  if (isFailed ? active.stopping : end.cancelled || (active.stopping && end.pending.length > 0))
    stopped(session, active);
  else if (isFailed) failed(session, end.error, active);
  else {
    if (thread.data.questions.length > 0) session.hold(true); // the next message would cancel them
    session.settle("idle");
  }
  if (!isFailed) keepWrites(session);
}

function failed(session: Session, error: ClientError, active: ActiveRun): void {
  const { thread } = session;
  const isLost = LOST.test(error.code) && !error.ofRun; // its outcome is unknown: it may still be running
  if (!error.retryable) {
    accept(thread, thread.data.unsent); // or every later message would be refused with it
  }
  const lost = { message: "The run ended before the tool did.", code: "interrupted" };
  if (!isLost) settleCalls(thread, { status: "failed", error: lost });
  session.fail(error, () => (isLost ? continueLost(session, active) : runAgain(session, active)));
}

/** Resumes the run whose connection was lost. */
async function continueLost(session: Session, active: ActiveRun): Promise<void> {
  session.active = active;
  session.thread.update({ status: "submitted", error: undefined });
  const end = await read(session, active);
  if (end) await drive(session, active, end);
}

/** Asks the last question again. Drops the failed run's text; its tools' effects stay. */
function runAgain(session: Session, active: ActiveRun): Promise<void> {
  const { thread } = session;
  const isPartial = (message: Message) =>
    !active.before.has(message.id) &&
    (message.role === "reasoning" || (message.role === "assistant" && toolCallsOf(message).length === 0));
  thread.update({ messages: thread.data.messages.filter((message) => !isPartial(message)) });
  const next = session.begin(active.mentions);
  next.continues = cutMessage(session, active.continues);
  return drive(session, next);
}

/** The id again, if its message is still cut. */
export function cutMessage({ thread }: Session, messageId: string | undefined): string | undefined {
  const message = thread.data.messages.find(({ id }) => id === messageId);
  return message && cutBy(message) && messageId;
}
