import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  useAssistantAction,
  useAssistantPrompts,
  useAssistantSnapshot,
  useAssistantState,
  useDynamicContext,
  usePageContext,
  usePayload,
  type Assistant,
  type DeepPartial,
  type FromJsonSchema,
  type Message,
  type StateOutcome,
  type ToolCallError,
  type ToolStatus,
  type Untyped,
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
        expectTypeOf(args).toEqualTypeOf<{ query?: string } | { query: string } | undefined>();
        expectTypeOf(result).toEqualTypeOf<{ hits: number } | undefined>();
        expectTypeOf(status).toEqualTypeOf<ToolStatus>();
        expectTypeOf(error).toEqualTypeOf<ToolCallError | undefined>();
        expectTypeOf(error).toExtend<Error | undefined>();
        return null;
      },
    });
    useAssistantAction({
      name: "any",
      description: "",
      handler: (args) => expectTypeOf(args).toBeAny(),
    });
    useAssistantAction<{ query: string }>({
      name: "result",
      description: "",
      render: (props) => {
        expectTypeOf(props.result).toBeAny();
        expectTypeOf(props.args?.query).toEqualTypeOf<string | undefined>();
        if (props.status === "pending") expectTypeOf(props.args).toEqualTypeOf<{ query?: string } | undefined>();
        if (props.status === "executing") expectTypeOf(props.args).toEqualTypeOf<{ query: string }>();
        if (props.status === "failed") expectTypeOf(props.error).toEqualTypeOf<ToolCallError>();
        return null;
      },
    });
    // @ts-expect-error: a tool needs a name
    useAssistantAction({ description: "" });
  });

  it("of an action's arguments follow from a JSON Schema written there", () => {
    useAssistantAction({
      name: "filter",
      description: "",
      parameters: {
        type: "object",
        properties: {
          field: { type: "string", enum: ["level", "host"] },
          values: { type: "array", items: { type: "string" } },
          size: { type: "integer" },
          range: { type: "object", properties: { from: { type: ["string", "null"] } }, required: ["from"] },
          either: { anyOf: [{ type: "number" }, { const: "all" }] },
        },
        required: ["field", "values"],
      },
      requiresConfirmation: ({ values }) => values.length > 1 && `Filter by ${values.length} values?`,
      handler: (args) => {
        expectTypeOf(args).toEqualTypeOf<{
          field: "level" | "host";
          values: string[];
          size?: number;
          range?: { from: string | null };
          either?: number | "all";
        }>();
        return args.values.length;
      },
      render: ({ args, result }) => {
        expectTypeOf(args?.field).toEqualTypeOf<"level" | "host" | undefined>();
        expectTypeOf(result).toEqualTypeOf<number | undefined>();
        return null;
      },
    });
    const { execute } = useAssistantAction({
      name: "handle",
      description: "",
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      handler: async ({ n }) => String(n),
    });
    expectTypeOf(execute({ n: 1 })).toEqualTypeOf<Promise<string>>();
    // @ts-expect-error: a number is wanted
    void execute({ n: "1" });
    const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    useAssistantAction({
      name: "constant",
      description: "",
      parameters: schema,
      handler: async ({ n }) => expectTypeOf(n).toEqualTypeOf<number>(),
    });
    expectTypeOf<FromJsonSchema<{ type: "object"; additionalProperties: { type: "boolean" } }>>().toEqualTypeOf<
      Record<string, boolean>
    >();
    expectTypeOf<FromJsonSchema<{ description: "?" }>>().toBeUnknown();
  });

  it("of an action's arguments follow from a schema of a library", () => {
    useAssistantAction({
      name: "zod",
      description: "",
      parameters: z.object({ to: z.string().transform(Number), from: z.date().optional() }),
      handler: (args) => expectTypeOf(args).toEqualTypeOf<{ to: number; from?: Date | undefined }>(),
    });
    useAssistantAction({
      name: "valibot",
      description: "",
      parameters: v.object({ n: v.pipe(v.number(), v.minValue(1)) }),
      toJsonSchema: () => ({ type: "object" }),
      handler: (args) => expectTypeOf(args).toEqualTypeOf<{ n: number }>(),
    });
    useAssistantAction({
      name: "wrong",
      description: "",
      parameters: z.object({ n: z.number() }),
      // @ts-expect-error: there is no such argument
      handler: ({ m }) => m,
    });
  });

  it("of shared state follow from the place or the selector", () => {
    const [draft, setDraft] = useAssistantState<{ title: string } | undefined>("/pluginState/report");
    expectTypeOf(draft).toEqualTypeOf<{ title: string } | undefined>();
    expectTypeOf(setDraft({ title: "x" })).toEqualTypeOf<Promise<StateOutcome>>();
    // @ts-expect-error: a title is a text
    void setDraft({ title: 1 });
    const [step, setState] = useAssistantState((state: { step: number }) => state.step);
    expectTypeOf(step).toEqualTypeOf<number>();
    void setState((state) => ({ step: state.step + 1 }));
  });

  it("of commands say what is missing", () => {
    const { registerCommands } = useAssistantPrompts();
    expectTypeOf(registerCommands).returns.toEqualTypeOf<() => void>();
    // @ts-expect-error: a command has a description
    registerCommands([{ command: "/x", prompt: "x" }]);
  });

  it("of what streams are partial at any depth, and whole once it is complete", () => {
    interface Chart {
      title: string;
      rows: { label: string; tags: string[] }[];
      colors: Record<string, string>;
    }
    useAssistantAction<Chart>({
      name: "draw",
      description: "",
      render: ({ args }) => {
        // @ts-expect-error: the rows may not have come
        void args?.rows.length;
        expectTypeOf(args?.rows?.[0]?.label).toEqualTypeOf<string | undefined>();
        expectTypeOf(args?.rows?.[0]?.tags).toEqualTypeOf<string[] | undefined>();
        return null;
      },
    });
    usePayload<Chart>("chart", {
      title: (data) => data.title?.toUpperCase() ?? "",
      render: (props) => {
        // @ts-expect-error: the title may not have come
        if (props.streaming) return props.data.title.length;
        expectTypeOf(props.data).toEqualTypeOf<Chart>();
        return props.data.title.length;
      },
      accept: (data) => expectTypeOf(data).toEqualTypeOf<Chart>(),
    });
    expectTypeOf<DeepPartial<Chart>["colors"]>().toEqualTypeOf<Record<string, string> | undefined>();
    expectTypeOf<DeepPartial<[number, { a: 1 }]>>().toEqualTypeOf<[number?, { a?: 1 }?]>();
    expectTypeOf<DeepPartial<Untyped>>().toBeAny();
  });

  it("of context are what JSON can say, never a promise", () => {
    interface Row {
      id: number;
    }
    const rows: readonly Row[] = [];
    useDynamicContext({ description: "rows", value: rows });
    useDynamicContext({ description: "rows", value: { rows, total: rows.length } });
    useDynamicContext({ description: "a row", value: () => rows[0] });
    useDynamicContext({ description: "now", value: new Date() });
    // @ts-expect-error: a promise
    useDynamicContext({ description: "later", value: Promise.resolve(rows) });
    // @ts-expect-error: a function of a promise
    useDynamicContext({ description: "later", value: async () => rows });
    // @ts-expect-error: it may be a promise
    useDynamicContext({ description: "later", value: () => (rows.length > 0 ? rows : Promise.resolve(rows)) });
    // @ts-expect-error: nobody awaits it
    usePageContext("Discover", async () => rows);
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
    usePageContext({
      decode: (text) => Number(text),
      convert: (urlState) => expectTypeOf(urlState).toEqualTypeOf<Record<string, number>>(),
    });
    // @ts-expect-error: a description alone says nothing
    usePageContext("Discover");
  });

  it("of the thread are read-only", () => {
    expectTypeOf(useAssistantSnapshot((thread) => thread.messages)).toEqualTypeOf<readonly Message[]>();
    expectTypeOf<Assistant["send"]>().returns.resolves.toBeVoid();
  });
});
