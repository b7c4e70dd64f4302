/** The tools of the page, and the client's records of their calls. */
import type { Tool } from "@ag-ui/core";
import type { Page } from "../page/page.js";
import { writeMetadata } from "../protocol/pageside.js";
import type { JsonSchema } from "../protocol/types.js";
import type { Definition } from "./allowances.js";
import { isStandard } from "./schema.js";
import type { FrontendTool, ToolEntryInfo } from "./types.js";

/**
 * The UI action that a tool was made from. A symbol, so that it stays when the tool is copied.
 */
export const ACTION = Symbol("action");

/** A tool that a UI action may have made. */
export type MadeTool = FrontendTool & { readonly [ACTION]?: string };

const NO_PARAMETERS = { type: "object", properties: {} };

/** The JSON Schema of the arguments, for the model. Throws if the schema cannot be converted. */
function jsonSchemaOf({ name, parameters = NO_PARAMETERS, toJsonSchema }: FrontendTool): JsonSchema {
  const own = isStandard(parameters)
    ? parameters["~standard"].jsonSchema?.input({ target: "draft-2020-12" })
    : parameters;
  const schema = toJsonSchema?.(parameters) ?? own;
  if (schema) return schema;
  throw new Error(`Pageside: the schema of the tool "${name}" has no JSON Schema. Say how with \`toJsonSchema\`.`);
}

let lastOrder = 0;

/** A number above all earlier ones, for the `order` of a tool. */
export const nextOrder = () => ++lastOrder;

interface Registration {
  readonly tool: MadeTool;
  readonly order: number;
  readonly schema: JsonSchema;
}

/** The tools of the page: a stack per name, whose uppermost runnable tool runs. */
export class ToolRegistry {
  #stacks = new Map<string, Registration[]>();
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * Within a name, higher orders are on top, and of equal ones the newer. The function undoes it.
   */
  register(tool: FrontendTool): () => void {
    const item = { tool, order: tool.order ?? nextOrder(), schema: jsonSchemaOf(tool) };
    const stack = this.#stacks.get(tool.name) ?? [];
    this.#stacks.set(tool.name, stack);
    stack.splice(stack.findLastIndex(({ order }) => order <= item.order) + 1, 0, item);
    return () => {
      const at = stack.indexOf(item);
      if (at >= 0) stack.splice(at, 1);
    };
  }

  /**
   * The tool that would run: the uppermost with a handler. Render-only tools hide none below them.
   * With `isOwn`, tools that UI actions made are passed over, so that an action which runs a tool
   * never comes back to itself.
   */
  runnable(name: string, isOwn?: boolean): FrontendTool | undefined {
    return this.#top(name, isOwn)?.tool;
  }

  #top(name: string, isOwn?: boolean): Registration | undefined {
    return this.#stacks
      .get(name)
      ?.findLast(
        ({ tool }) =>
          tool.handler &&
          tool.available !== "disabled" &&
          !(isOwn && tool[ACTION]) &&
          this.#page.allows("tools", tool.source),
      );
  }

  /** What the tool that would run says of itself. */
  definition(name: string, isOwn?: boolean): Definition {
    const { tool, schema } = this.#top(name, isOwn) ?? {};
    return { description: tool?.description, parameters: schema, destructive: tool?.destructive };
  }

  /** The tools offered to the model, by name. */
  list(): Tool[] {
    return this.entries()
      .filter(({ name }) => this.#page.isOn("tool", name))
      .map(({ source: _, destructive: __, actionId: ___, ...tool }) => tool);
  }

  /** All tools, including those that are switched off. */
  entries(): ToolEntryInfo[] {
    return [...this.#stacks.keys()].sort().flatMap((name) => {
      const top = this.#top(name);
      if (!top) return [];
      const { description, source, destructive, foreign, [ACTION]: actionId } = top.tool;
      const effect = destructive ? "destructive" : top.tool.effect;
      return [
        {
          name,
          description,
          parameters: top.schema,
          ...((effect || foreign) && { metadata: writeMetadata(foreign ? { effect, foreign } : { effect }) }),
          ...(source && { source }),
          ...(actionId && { actionId }),
          ...(destructive && { destructive }),
        },
      ];
    });
  }
}
