import { describe, expectTypeOf, it } from "vitest";
import {
  useAssistantAction,
  useAssistantSnapshot,
  usePageContext,
  type Assistant,
  type Message,
  type ToolStatus,
} from "../src/index.js";

describe("types", () => {
  it("of an action follow from its arguments and result", () => {
    useAssistantAction<{ query: string }, { hits: number }>({
      name: "search",
      description: "",
      handler: (args, context) => {
        expectTypeOf(args).toEqualTypeOf<{ query: string }>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        return { hits: 1 };
      },
      render: ({ args, result, status, error }) => {
        expectTypeOf(args).toEqualTypeOf<{ query: string } | undefined>();
        expectTypeOf(result).toEqualTypeOf<{ hits: number } | undefined>();
        expectTypeOf(status).toEqualTypeOf<ToolStatus>();
        expectTypeOf(error).toEqualTypeOf<{ message: string; code?: string } | undefined>();
        return null;
      },
    });
    useAssistantAction({
      name: "any",
      description: "",
      handler: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>(),
    });
    // @ts-expect-error: a tool needs a name
    useAssistantAction({ description: "" });
  });

  it("of a promise's result are unwrapped for render", () => {
    useAssistantAction<object, Promise<number>>({
      name: "n",
      description: "",
      handler: () => Promise.resolve(1),
      render: ({ result }) => {
        expectTypeOf(result).toEqualTypeOf<number | undefined>();
        return null;
      },
    });
  });

  it("of the page context fit both forms", () => {
    usePageContext();
    usePageContext({ page: "discover", tab: "logs", scope: { index: "1" } });
    usePageContext("Discover", (urlState, url) => {
      expectTypeOf(urlState).toEqualTypeOf<Record<string, string>>();
      expectTypeOf(url).toEqualTypeOf<URL>();
    });
    // @ts-expect-error: a description alone says nothing
    usePageContext("Discover");
  });

  it("of the thread are read-only", () => {
    expectTypeOf(useAssistantSnapshot((thread) => thread.messages)).toEqualTypeOf<readonly Message[]>();
    expectTypeOf<Assistant["send"]>().returns.resolves.toBeVoid();
  });
});
