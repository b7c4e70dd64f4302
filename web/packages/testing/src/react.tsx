import {
  createPagesideClient,
  type Answer,
  type ClientOptions,
  type PagesideClient,
  type ThreadSnapshot,
} from "@pageside/core";
import { AssistantProvider } from "@pageside/react";
import { render, type RenderOptions, type RenderResult } from "@testing-library/react";
import { useEffect, type ComponentType, type ReactElement, type ReactNode } from "react";
import { scriptedAgent, type ScriptedAgent } from "./agent.js";
import { settled } from "./clock.js";
import { lastAnswer, waitForIdle, type WaitOptions } from "./idle.js";
import type { MockAction } from "./mock-action.js";
import type { Rule } from "./parts.js";

/** How a page is rendered, and what its assistant does. */
export interface RenderWithAssistantOptions extends RenderOptions {
  /** What the assistant does. */
  rules?: readonly Rule[];
  /** Replaces `rules`: an agent that was made before, a player, or anything with a `fetch`. */
  agent?: ScriptedAgent | { readonly fetch: typeof fetch };
  /** Mocks, installed before the page registers its actions. */
  actions?: readonly Pick<MockAction<unknown, unknown>, "install">[];
  /** Options of the client, such as `threadId`. By default its `memory` is `"none"`. */
  client?: Omit<ClientOptions, "fetch">;
  /**
   * Whether the tray is open at first.
   * @defaultValue `false`
   */
  defaultOpen?: boolean;
}

/** A rendered page with its assistant. */
export interface AssistantRenderResult extends RenderResult {
  /** The client. */
  client: PagesideClient;
  /** The agent made of `rules`. Unused if you passed an agent. */
  agent: ScriptedAgent;
  /**
   * Sends a message. Resolves when the answer and its tools are done and drawn. Rejects if no rule
   * fits, or a rule calls a tool that the page does not offer.
   */
  send: PagesideClient["send"];
  /** Answers the first open question: `{ approved: true }`, `{ answer: "week" }`. */
  respond(answer?: Answer): Promise<void>;
  /** Does something that lets the assistant continue, such as a click, and waits as `send` does. */
  settle(work: () => unknown): Promise<void>;
  /** The text of the assistant's last message. */
  lastAnswer(): string;
  /** The thread as the client has it. */
  snapshot(): ThreadSnapshot;
  /**
   * Resolves when nothing is going on. After 5 s (see `configure`) it fails and says what still is.
   */
  waitForIdle(options?: WaitOptions): Promise<void>;
}

/**
 * Renders a page with an assistant that does what rules say, and gives what a test needs of it.
 * What it returns has everything `render` of Testing Library returns. Where Testing Library cleans
 * up by itself, this does too.
 *
 * @example
 * const { send, lastAnswer, getByRole } = renderWithAssistant(<SearchPage />, {
 *   rules: [
 *     { when: "errors", reply: [frontendCall("set_query", { query: "status>=500" }), "Done."] },
 *   ],
 * });
 * await send("Show me the errors");
 * expect(getByRole("searchbox")).toHaveProperty("value", "status>=500");
 * expect(lastAnswer()).toBe("Done.");
 */
export function renderWithAssistant(ui: ReactElement, options: RenderWithAssistantOptions = {}): AssistantRenderResult {
  const {
    rules = [],
    agent: given,
    actions = [],
    client: clientOptions,
    defaultOpen,
    wrapper: Inner,
    ...rest
  } = options;
  const agent = given && "inputs" in given ? given : scriptedAgent(rules);
  const client = createPagesideClient({ memory: "none", ...clientOptions, fetch: (given ?? agent).fetch });
  for (const action of actions) action.install(client);
  const end = lifetime(client);

  const Wrapper = ({ children }: { children: ReactNode }) => (
    <AssistantProvider client={client} defaultOpen={defaultOpen}>
      <Lifetime end={end} />
      {Inner ? wrapped(Inner, children) : children}
    </AssistantProvider>
  );
  const page = render(ui, { ...rest, wrapper: Wrapper });
  const settle = async (work: () => unknown) => {
    await outsideOfAct(async () => {
      await work();
      await waitForIdle(client);
      expectScript(client);
    });
  };
  return Object.assign(page, {
    client,
    agent,
    settle,
    send: (...message: Parameters<PagesideClient["send"]>) =>
      outsideOfAct(async () => {
        await client.send(...message);
        expectScript(client);
      }),
    respond: (given?: Answer) =>
      outsideOfAct(async () => {
        const open = client.getSnapshot().questions.find(({ answer }) => !answer);
        if (!open) throw new Error("Nothing waits for an answer of the user.");
        await client.answer(open.id, given);
      }),
    lastAnswer: () => lastAnswer(client.getSnapshot()),
    snapshot: () => client.getSnapshot(),
    waitForIdle: (wait?: WaitOptions) => outsideOfAct(() => waitForIdle(client, wait)),
  });
}

function wrapped(Inner: ComponentType<{ children: ReactNode }>, children: ReactNode): ReactNode {
  return <Inner>{children}</Inner>;
}

/** Fails where the script did: the page shows that as it shows any failure of an assistant. */
function expectScript(client: PagesideClient): void {
  const { error } = client.getSnapshot();
  if (error && SCRIPT.test(error.code)) throw new Error(error.message);
}

/** Codes of errors that are the script's own. */
const SCRIPT = /^(no_rule|script_error)$/;

/**
 * Ends the client when the page is gone for good: StrictMode takes it away and brings it back at
 * once.
 */
function lifetime(client: PagesideClient): () => () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    return () => {
      timer = setTimeout(() => client.destroy(), 0);
    };
  };
}

function Lifetime({ end }: { end: () => () => void }) {
  useEffect(end, [end]);
  return null;
}

/**
 * Lets React commit as it does in a browser while something goes on: inside `act` nothing would be
 * drawn before the end, and a tool would find the page as it was before the last tool. Waits until
 * React has drawn the end.
 */
async function outsideOfAct(work: () => Promise<void>): Promise<void> {
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  const before = environment.IS_REACT_ACT_ENVIRONMENT;
  environment.IS_REACT_ACT_ENVIRONMENT = false;
  try {
    await work();
    await settled();
  } finally {
    environment.IS_REACT_ACT_ENVIRONMENT = before;
  }
}
