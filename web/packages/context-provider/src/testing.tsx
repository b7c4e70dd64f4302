import { createPagesideClient, type FrontendTool, type PagesideClient } from "@pageside/core";
import { AssistantProvider, type AssistantAction, type Untyped } from "@pageside/react";
import {
  mockAssistantAction as mockByName,
  scriptedAgent,
  type MockAction,
  type MockActionOptions,
  type Rule,
  type ScriptedAgent,
} from "@pageside/testing";
import type { ComponentType, ReactNode } from "react";
import { AssistantActionContext } from "./actionContext.js";
import { mockFunction, type MockFunction } from "./mock-function.js";
import { useAssistantActionContext } from "./useAssistantActionContext.js";

export type { MockFunction, MockResult } from "./mock-function.js";

/** A mocked action, and what a test renders around the components that use it. */
export interface MockedAction {
  /** Wrap what you render, or pass it as `wrapper`. All hooks work inside. */
  readonly TestWrapper: ComponentType<{ children?: ReactNode }>;
  /**
   * Stands in for the action: called with its name and its arguments, by `executeAction` of the
   * context and by the assistant. Returns `undefined` until it is told otherwise.
   */
  readonly executeAction: MockFunction<[name: string, args: Untyped], Untyped>;
  /** The client of the wrapper. */
  readonly client: PagesideClient;
  /** The assistant of the client: it does what `rules` say. */
  readonly agent: ScriptedAgent;
}

/** What the assistant of a mocked action does. */
export interface MockContextOptions {
  /** See `scriptedAgent`. By default it says nothing. */
  rules?: readonly Rule[];
}

/**
 * Mocks an action. By its name: see `mockAssistantAction` of `@pageside/testing`. By its
 * definition: makes a wrapper in which the action is offered, whether or not a component registers
 * it, and a function that stands in for it.
 *
 * @example
 * const { TestWrapper, executeAction } = mockAssistantAction(confirmAction);
 * executeAction.mockResolvedValue("approved");
 * render(<Deletion />, { wrapper: TestWrapper });
 */
export function mockAssistantAction(action: AssistantAction<never>, options?: MockContextOptions): MockedAction;
export function mockAssistantAction<Args = Record<string, unknown>, Result = unknown>(
  name: string,
  options?: MockActionOptions,
): MockAction<Args, Result>;
export function mockAssistantAction(
  action: string | AssistantAction<never>,
  options: MockActionOptions & MockContextOptions = {},
): MockedAction | MockAction<Untyped, Untyped> {
  return typeof action === "string" ? mockByName(action, options) : mockContext(action, options);
}

function mockContext(action: AssistantAction<never>, { rules = [] }: MockContextOptions): MockedAction {
  const { name, description, parameters, toJsonSchema } = action;
  const agent = scriptedAgent(rules);
  const client = createPagesideClient({ fetch: agent.fetch, memory: "none" });
  const executeAction = mockFunction<[name: string, args: Untyped], Untyped>("executeAction", () => undefined);
  mockByName(name)
    .does((args) => executeAction(name, args))
    .install(client);
  const tool: FrontendTool<never> = { name, description, parameters, toJsonSchema, handler: () => undefined };
  client.registerTool(tool);

  const TestWrapper = ({ children }: { children?: ReactNode }) => (
    <AssistantProvider client={client}>
      <Mocked executeAction={executeAction}>{children}</Mocked>
    </AssistantProvider>
  );
  return { TestWrapper, executeAction, client, agent };
}

function Mocked({ executeAction, children }: Pick<MockedAction, "executeAction"> & { children?: ReactNode }) {
  const value = { ...useAssistantActionContext(), executeAction };
  return <AssistantActionContext.Provider value={value}>{children}</AssistantActionContext.Provider>;
}
