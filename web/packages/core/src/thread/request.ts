/** What a run sends to the server, and where it goes. */
import type { ResumeEntry } from "@ag-ui/core";
import type { Message } from "../protocol/types.js";
import type { ActiveRun, Session, Shared } from "./session.js";

/** Where the runs of the agent begin. */
export function pathOfRuns({ shared }: Session): string {
  return `/v1/agents/${encodeURIComponent(shared.agent)}/run`;
}

/** Where the thread is on the server. */
export function pathOfThread({ thread }: Session): string {
  return `/v1/threads/${encodeURIComponent(thread.view.threadId)}`;
}

/** The input of a run that takes these messages. */
export function inputOf(session: Session, active: ActiveRun, messages: readonly Message[]) {
  const { shared, thread, replaces } = session;
  shared.context.mentioned = active.mentions; // whose items may be asked for
  const context = shared.context.collect(active.mentions);
  const { interrupts, threadId, state } = thread.view;
  // An interrupt that is not answered now never will be: the user went on.
  const resume = interrupts.map(({ id, answer = { status: "cancelled" } }): ResumeEntry => ({ interruptId: id, ...answer })); // prettier-ignore
  return {
    threadId,
    runId: active.runId!,
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

/** What the page tells the model in its own words. */
function systemMessages({ instructions, page }: Shared): Message[] {
  return instructions
    .list()
    .filter(({ id }) => page.isOn("instructions", id))
    .map(({ id, text }) => ({ id: `pageside:${id}`, role: "system", content: text }));
}
