import { callTool } from "@pageside/core";
import type { FrontendTool, PagesideClient, ToolCallFailure } from "@pageside/core";
import { pageCallsOf, updateToolCall } from "@pageside/core/calls";
import {
  ToolCallError,
  useAssistantContext,
  type AssistantAction,
  type AssistantContextValue,
  type ToolRender,
  type ToolRenderers,
  type ToolRenderProps,
} from "@pageside/react";
import { useContext, useMemo, useSyncExternalStore } from "react";
import {
  AssistantActionContext,
  type ActionCallChange,
  type ActionCallState,
  type ActionRenderProps,
  type AssistantActionContextValue,
} from "./actionContext.js";

/**
 * The actions of the page and the calls of them: to draw calls in a chat window of your own, to run
 * an action by its name, to see what is offered to the model. Renders again when a call changes.
 *
 * The tray and the provider do all of this already.
 *
 * @example
 * const { executeAction } = useAssistantActionContext();
 * return <button onClick={() => void executeAction("refresh_data", {})}>Refresh</button>;
 */
export function useAssistantActionContext(): AssistantActionContextValue {
  const given = useContext(AssistantActionContext);
  if (given) return given;
  // eslint-disable-next-line react-hooks/rules-of-hooks -- a component stays inside or outside of such a provider
  return useOwnValue(useAssistantContext("useAssistantActionContext"));
}

/** The value of the provider around. */
export function useOwnValue(assistant: AssistantContextValue): AssistantActionContextValue {
  const { client } = assistant;
  const calls = pageCallsOf(client);
  const readCalls = () => client.getSnapshot().toolCalls;
  const ofThread = useSyncExternalStore(client.watch, readCalls, readCalls);
  const ofPage = useSyncExternalStore(calls.subscribe, calls.all, calls.all);
  const functions = useMemo(() => functionsOf(assistant), [assistant]);
  return useMemo(
    () => ({
      ...functions,
      get actions() {
        return actionsOf(assistant);
      },
      toolCallStates: new Map(Object.entries({ ...ofThread, ...ofPage }).map(([id, call]) => [id, stateOf(call)])),
    }),
    [functions, assistant, ofThread, ofPage],
  );
}

const REGISTERED = Symbol("registered actions");

/** What `registerAction` added to a client, by name. */
const registeredOf = (client: PagesideClient) => client.extension(REGISTERED, () => new Map<string, () => void>());

function functionsOf({ client, renderers }: AssistantContextValue) {
  const registered = registeredOf(client);
  const unregisterAction = (name: string) => {
    registered.get(name)?.();
    registered.delete(name);
  };
  return {
    client,
    registerAction(action: AssistantAction) {
      unregisterAction(action.name);
      registered.set(action.name, register(client, renderers, action));
    },
    unregisterAction,
    executeAction: (name: string, args: unknown) => callTool(client, name, args),
    getToolDefinitions: () => client.getTools().map((tool) => ({ parameters: {}, ...tool })),
    updateToolCallState: (id: string, state: ActionCallChange) => updateToolCall(client, id, toCore(state)),
    getActionRenderer(name: string) {
      const render = renderers.last(name);
      return render && ((props: ActionRenderProps) => render({ toolCallId: "", name, ...props } as ToolRenderProps));
    },
  };
}

function register(client: PagesideClient, renderers: ToolRenderers, action: AssistantAction): () => void {
  const { render, enabled = true, deps: _, ...tool } = action;
  if (!enabled) return () => undefined;
  const undo = [client.registerTool(tool), ...(render ? [renderers.register(action.name, render)] : [])];
  return () => undo.forEach((each) => each());
}

/** The actions that can be called or drawn, by name. */
function actionsOf({ client, renderers }: AssistantContextValue): ReadonlyMap<string, AssistantAction> {
  const callable = client.getToolEntries().map((entry): [string, AssistantAction] => {
    const { name, description, parameters } = entry;
    const handler = (args: unknown) => callTool(client, name, args);
    return [name, { name, description, parameters: parameters as FrontendTool["parameters"], handler }];
  });
  const actions = new Map(callable);
  for (const name of renderers.names()) {
    const render: ToolRender | undefined = renderers.top(name);
    const known = actions.get(name) ?? { name, description: "", available: "disabled" };
    actions.set(name, { ...known, render });
  }
  return actions;
}

function stateOf({ error, ...call }: ReturnType<PagesideClient["getSnapshot"]>["toolCalls"][string]): ActionCallState {
  return { ...call, timestamp: call.startedAt, ...(error && { error: ToolCallError.of(error) }) };
}

/** The change as the core has it. */
function toCore({ id: _, timestamp, error, ...change }: ActionCallChange): Parameters<typeof updateToolCall>[2] {
  return {
    ...change,
    ...(timestamp !== undefined && { startedAt: timestamp }),
    ...(error !== undefined && { error: failureOf(error) }),
  };
}

function failureOf(thrown: unknown): ToolCallFailure {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { name, message, code = name, details } = thrown as Error & Partial<ToolCallFailure>;
  return { message, code, ...(details && { details }) };
}
