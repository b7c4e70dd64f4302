/** The input of a run, and its address. */
import type { ResumeEntry, Tool } from "@ag-ui/core";
import { isDevelopment } from "../base/development.js";
import { withMissing } from "../protocol/messages.js";
import type { ContextEntryInfo } from "../page/types.js";
import type { Message } from "../protocol/types.js";
import type { RunInput } from "./direct.js";
import type { ActiveRun, Session, Shared } from "./session.js";

/** The path that begins runs of the agent. */
export function pathOfRuns({ shared }: Session): string {
  return `/v1/agents/${encodeURIComponent(shared.agent)}/run`;
}

/**
 * What a run is sent. A server knows the messages before these; an agent without one is sent all.
 */
export function bodyOf({ shared, thread }: Session, input: RunInput): object {
  if (!shared.direct) return input;
  return shared.direct.bodyOf({ ...input, messages: withMissing(thread.data.messages, input.messages) });
}

/** The input of a run that takes these messages. */
export function inputOf(session: Session, active: ActiveRun, messages: readonly Message[]) {
  const { shared, thread, replaces } = session;
  shared.context.mentioned = active.mentions; // entries whose items may be retrieved
  const context = shared.context.collect(active.mentions);
  const tools = shared.tools.list();
  if (isDevelopment()) void advise(shared.context.list(), tools).catch(() => undefined);
  const { questions, threadId, state, base } = thread.data;
  // A question without an answer counts as cancelled: the user went on.
  const resume = questions.map(({ id, answer = { status: "cancelled" } }): ResumeEntry => ({ interruptId: id, ...answer })); // prettier-ignore
  return {
    threadId,
    runId: active.runId!,
    protocolVersion: "1.0",
    state: state ?? {},
    messages: [...systemMessages(shared), ...messages],
    tools,
    context: context.map(({ item }) => item),
    forwardedProps: {
      pageside: {
        ...shared.places.current(),
        ...shared.known?.picked,
        context: context.map(({ detail }) => detail),
        replaces,
        continues: active.continues,
        // what the state has other than this is what the page has changed
        stateBase: state === undefined ? undefined : (base ?? null),
      },
    },
    ...(resume.length > 0 && { resume }),
  };
}

async function advise(context: readonly ContextEntryInfo[], tools: readonly Tool[]): Promise<void> {
  const { remindOfEffects, warnOfMistakes } = await import("./advice.js");
  remindOfEffects(tools);
  warnOfMistakes(context, tools);
}

/** The instructions of the page, as system messages. */
function systemMessages({ instructions, page }: Shared): Message[] {
  return instructions
    .list()
    .filter(({ id }) => page.isOn("instructions", id))
    .map(({ id, text }) => ({ id: `pageside:${id}`, role: "system", content: text }));
}
