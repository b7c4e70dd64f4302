import type { FrontendTool, JsonSchema, PagesideClient, ToolContext } from "@pageside/core";

/** A call of a mocked action. */
export interface MockCall<Args, Result> {
  readonly toolCallId: string;
  readonly args: Args;
  /** Once it is over: what it returned, or what it threw. */
  result?: Result;
  error?: unknown;
  readonly signal: AbortSignal;
}

/** What a mock is made with. */
export interface MockActionOptions {
  /**
   * Needed if no component registers the action: the mock is then offered to the assistant with
   * these.
   */
  tool?: { description: string; parameters?: JsonSchema };
}

/** Stands in for a handler. Settings for the next call take precedence over those for all. */
export interface MockAction<Args, Result> {
  readonly name: string;
  /** What it was called with, in order, each call of the handler once. */
  readonly calls: readonly MockCall<Args, Result>[];
  /** Returns this for every call. */
  returns(result: Result): this;
  /** Returns this for the next call. */
  returnsOnce(result: Result): this;
  /** Throws this, for every call: the assistant is told of a failure. */
  throws(error: Error): this;
  /** Does this for every call. */
  does(handler: (args: Args, context: ToolContext) => Result | Promise<Result>): this;
  /** Calls the page's own handler, and only records. */
  callsThrough(): this;
  /** Resolves with the next call that begins. */
  nextCall(): Promise<MockCall<Args, Result>>;
  /** Forgets the calls, not what to return. */
  clear(): void;
  /**
   * Takes the place of the handler in everything that is registered with that name from now on:
   * call it before the page registers (`renderWithAssistant` does). Descriptions and schemas stay,
   * so arguments are checked as ever. The function undoes it for what is registered later.
   */
  install(client: PagesideClient): () => void;
}

type Behaviour<Args, Result> = (
  args: Args,
  context: ToolContext,
  own: FrontendTool<Args, Result>["handler"],
) => Result | Promise<Result>;

/** Records a mock's calls, and holds its behaviour. */
class Recorder<Args, Result> {
  readonly calls: MockCall<Args, Result>[] = [];
  readonly once: Behaviour<Args, Result>[] = [];
  always: Behaviour<Args, Result> = () => undefined as Result;
  #waiting: ((call: MockCall<Args, Result>) => void)[] = [];

  async run(args: Args, context: ToolContext, own: FrontendTool<Args, Result>["handler"]): Promise<Result> {
    const { toolCallId, signal } = context;
    const call: MockCall<Args, Result> = { toolCallId, args, signal };
    this.calls.push(call);
    for (const resolve of this.#waiting.splice(0)) resolve(call);
    try {
      return (call.result = await (this.once.shift() ?? this.always)(args, context, own));
    } catch (error) {
      call.error = error;
      throw error;
    }
  }

  next(): Promise<MockCall<Args, Result>> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  clear(): void {
    this.calls.length = 0;
    this.#waiting = [];
  }
}

/** Replaces the handlers of that name by the recorder; see `MockAction.install`. */
function install<Args, Result>(
  client: PagesideClient,
  { name, tool }: MockActionOptions & { name: string },
  recorder: Recorder<Args, Result>,
): () => void {
  const { registerTool } = client;
  client.registerTool = <A, R>(given: FrontendTool<A, R>) => {
    if (given.name !== name || !given.handler) return registerTool(given);
    const own = given as unknown as FrontendTool<Args, Result>;
    return registerTool({ ...own, handler: (args, context) => recorder.run(args, context, own.handler) });
  };
  const handler = (args: Args, context: ToolContext) => recorder.run(args, context, undefined);
  const undo = tool && registerTool<Args, Result>({ name, ...tool, handler });
  return () => {
    undo?.();
    client.registerTool = registerTool;
  };
}

/**
 * Mocks a frontend tool: the page's component registers it as ever with `useAssistantAction`, but
 * its handler is not called. Every call is recorded, and returns what you say, or `undefined`.
 *
 * @example
 * type Args = { query: string };
 * const setQuery = mockAssistantAction<Args, { hits: number }>("set_query").returns({ hits: 3 });
 * const { send } = renderWithAssistant(<SearchPage />, { rules, actions: [setQuery] });
 * await send("Show errors");
 * expect(setQuery.calls.map(({ args }) => args)).toEqual([{ query: "status>=500" }]);
 */
export function mockAssistantAction<Args = Record<string, unknown>, Result = unknown>(
  name: string,
  { tool }: MockActionOptions = {},
): MockAction<Args, Result> {
  const recorder = new Recorder<Args, Result>();
  const set = (behaviour: Behaviour<Args, Result>) => {
    recorder.always = behaviour;
    return mock;
  };
  const mock: MockAction<Args, Result> = {
    name,
    calls: recorder.calls,
    returns: (result) => set(() => result),
    returnsOnce(result) {
      recorder.once.push(() => result);
      return mock;
    },
    throws: (error) =>
      set(() => {
        throw error;
      }),
    does: (handler) => set((args, context) => handler(args, context)),
    callsThrough: () =>
      set((args, context, own) => {
        if (!own) throw new Error(`"${name}" has no handler of its own to call.`);
        return own(args, context);
      }),
    nextCall: () => recorder.next(),
    clear: () => recorder.clear(),
    install: (client) => install(client, { name, tool }, recorder),
  };
  return mock;
}
