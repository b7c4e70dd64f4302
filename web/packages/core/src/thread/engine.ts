/**
 * The runs of a thread: what is sent, reading what comes, and running on with the results of tools.
 * Loaded when somebody looks at a thread. What a first answer in text does not need is in
 * `later.ts`.
 */
import type { ResumeEntry } from "@ag-ui/core";
import { accept, applyEvent, markStopped } from "./apply.js";
import { toClientError } from "../protocol/failure.js";
import { newId } from "../base/id.js";
import { loadLater, loadRunner } from "../lazy.js";
import { connect, endOf, EventReader, interrupted, type RunEnd } from "../protocol/connection.js";
import { LOST, type Session, type Shared, type Turn } from "./session.js";
import type { ClientError, Message } from "./types.js";

/** Tool results lead to a further run, which may call tools again: this often within one turn. */
const MAX_FOLLOW_UPS = 25;

/** How often a message waits for a run of another tab. */
const MAX_BUSY = 3;

/**
 * Runs, or goes on after a run, and as long as a run calls tools of this page, runs again with
 * their results.
 */
export async function drive(session: Session, turn = session.begin([]), end?: RunEnd): Promise<void> {
  const { signal } = turn.controller;
  for (let followUps = 0; followUps <= MAX_FOLLOW_UPS; followUps++) {
    end ??= await run(session, turn);
    if (!end || signal.aborted) return;
    if (!(await answerCalls(session, end, turn))) return signal.aborted ? undefined : finish(session, end, turn);
    end = undefined;
  }
  const message = `The assistant used tools of this page ${MAX_FOLLOW_UPS} times in a row and was stopped.`;
  session.endTurn(turn);
  session.fail({ code: "follow_up_limit", message, retryable: true }, () =>
    drive(session, session.begin(turn.mentions)),
  );
}

/** Resolves with whether there is something to run on with. */
async function answerCalls(session: Session, end: RunEnd, turn: Turn): Promise<boolean> {
  if (end.kind === "failed" || end.cancelled || turn.stopping) return false;
  if (!session.thread.calls && end.pending.length === 0) return false; // a mere text
  return (await loadLater()).answerCalls(session, end, turn);
}

/** One run. Resolves with undefined where it failed before its end, or was stopped. */
async function run(session: Session, turn: Turn, busy = 0): Promise<RunEnd | undefined> {
  const { thread, shared } = session;
  const messages = (session.lastSent = thread.unsent.length > 0 ? thread.unsent : session.lastSent);
  thread.set({ status: "submitted", error: undefined });
  if (shared.context.slow().length > 0) {
    await (await loadLater()).prepare(session, turn);
    if (turn.controller.signal.aborted) return undefined;
  }
  turn.runId = newId();
  turn.before = new Set(thread.messages().map(({ id }) => id));
  shared.memory.write({ threadId: thread.view.threadId, runId: turn.runId });
  const input = inputOf(session, turn, messages);
  for (const write of session.writes) write.isSent = true;
  // so that it is there when a tool is called
  if (input.tools.length > 0) void loadRunner().catch(() => undefined);
  turn.read = reading(session, turn, input, messages);
  return read(session, turn, busy < MAX_BUSY ? () => run(session, turn, busy + 1) : undefined);
}

/** Reads the run of a turn. `again` runs it anew after another run of the thread has ended. */
export async function read(
  session: Session,
  turn: Turn,
  again?: () => Promise<RunEnd | undefined>,
): Promise<RunEnd | undefined> {
  const { signal } = turn.controller;
  try {
    const end = await turn.read!();
    turn.runId = undefined;
    return end;
  } catch (cause) {
    if (signal.aborted) return undefined;
    const error = toClientError(cause);
    if (error.code !== "thread_busy" || !again) return finish(session, { kind: "failed", error }, turn) as undefined;
    await (await loadLater()).watch(session, turn);
    return signal.aborted ? undefined : again();
  }
}

/** How a run is read to its end, over as many connections as it takes. */
function reading(
  session: Session,
  turn: Turn,
  input: { runId: string },
  messages: readonly Message[],
): () => Promise<RunEnd> {
  const { thread, shared } = session;
  const { signal } = turn.controller;
  let isAccepted = false;
  // what a broken stream goes on with may begin with a snapshot, as a run of its own
  let isOwn = false;
  let end: RunEnd | undefined;
  const reader: EventReader = new EventReader({
    apply: (event, later) => {
      if (signal.aborted) return true;
      if (event.type === "RUN_STARTED") {
        isOwn = event.runId === input.runId || !reader.lastId;
        if (isOwn) {
          isAccepted = true;
          accept(thread, messages);
          session.replaces = undefined;
          turn.release?.();
        }
      }
      // The snapshot of a server that numbers its events is complete.
      if (reader.lastId && event.type === "MESSAGES_SNAPSHOT") later!.replaceMessages(thread, event.messages);
      else applyEvent(thread, event, later);
      end = isOwn ? endOf(event) : undefined;
      return end !== undefined;
    },
    flush: () => {
      session.lastId = reader.lastId ?? session.lastId;
      if (!signal.aborted) thread.touch();
    },
    opened: () => (thread.view.connection = "live"),
  });
  const post = () => connect(shared.http, pathOf(session), { json: input }, reader, signal);
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
    const later = await loadLater().catch(() => undefined);
    if (later) await later.resume(session, run, broken);
    else if (broken?.cause) throw broken.cause;
    return end ?? interrupted();
  };
}

export function pathOf({ shared }: Session): string {
  return `/v1/agents/${encodeURIComponent(shared.agent)}/run`;
}

export function inputOf(session: Session, turn: Turn, messages: readonly Message[]) {
  const { shared, thread, replaces } = session;
  shared.context.mentioned = turn.mentions; // whose items may be asked for
  const context = shared.context.collect(turn.mentions);
  const { interrupts, threadId, state } = thread.view;
  // An interrupt that is not answered now never will be: the user went on.
  const resume = interrupts.map(({ id, answer = { status: "cancelled" } }): ResumeEntry => ({ interruptId: id, ...answer })); // prettier-ignore
  return {
    threadId,
    runId: turn.runId!,
    protocolVersion: "1.0",
    state: state ?? {},
    messages: [...systemMessages(shared), ...messages],
    tools: shared.tools.list(),
    context: context.map(({ item }) => item),
    forwardedProps: {
      pageside: { ...shared.places.current(), context: context.map(({ detail }) => detail), replaces },
    },
    ...(resume.length > 0 && { resume }),
  };
}

export function finish(session: Session, end: RunEnd, turn: Turn): void {
  const { thread } = session;
  session.endTurn(turn);
  const isFailed = end.kind === "failed";
  if (!isFailed && session.writes.length > 0) void loadLater().then(({ keepWrites }) => keepWrites(session));
  if (isFailed ? turn.stopping : end.cancelled || (turn.stopping && end.pending.length > 0)) stopped(session, turn);
  else if (isFailed) failed(session, end.error, turn);
  else {
    if (thread.view.interrupts.length > 0) session.hold(true); // the next message would cancel them
    session.settle("idle");
  }
}

function failed(session: Session, error: ClientError, turn: Turn): void {
  const { thread } = session;
  const isLost = LOST.test(error.code); // its fate is unknown: it may go on
  if (!error.retryable) {
    accept(thread, thread.unsent); // or every message that follows is refused with it
    thread.unsent = [];
  }
  const lost = { message: "The run ended before the tool did.", code: "interrupted" };
  if (!isLost) thread.calls?.settleOpen({ status: "failed", error: lost });
  session.fail(error, async () => (await loadLater())[isLost ? "readOn" : "runAgain"](session, turn));
}

export function stopped(session: Session, turn: Turn): void {
  session.hold(true);
  session.thread.calls?.settleOpen({ status: "cancelled" });
  markStopped(session.thread, turn.before);
  session.settle("idle");
}

/** What the page tells the model in its own words. */
function systemMessages({ instructions, page }: Shared): Message[] {
  return instructions
    .list()
    .filter(({ id }) => page.isOn("instructions", id))
    .map(({ id, text }) => ({ id: `pageside:${id}`, role: "system", content: text }));
}
