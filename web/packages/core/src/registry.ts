/** What the page offers: context entries and tools. */
import type { Tool } from "@ag-ui/core";
import { Subscribable } from "./base/subscribable.js";
import { compact } from "./compact.js";
import type { RetrieveRequest } from "./retrieve.js";
import type { InstructionEntry } from "./types-page.js";
import type { StandardSchema } from "./types-schema.js";
import type {
  ContextDetail,
  ContextEntry,
  ContextEntryInfo,
  FrontendTool,
  IncludedKind,
  JsonSchema,
  Place,
  ToolEntryInfo,
} from "./types.js";

/** A context entry as it is sent, and what `forwardedProps.pageside.context` says about it. */
export interface CollectedContext {
  item: { description: string; value: string };
  detail: ContextDetail;
}

/**
 * What the user switched off, as `"tool:search"`, and whom to tell that something of the page
 * changed.
 */
export class Page {
  readonly #off = new Set<string>();
  readonly #changes = new Subscribable();
  #isDue = false;

  set(kind: IncludedKind, id: string, included: boolean): void {
    this.#off[included ? "delete" : "add"](`${kind}:${id}`);
    this.changed();
  }

  isOn(kind: IncludedKind, id: string): boolean {
    return !this.#off.has(`${kind}:${id}`);
  }

  subscribe(listener: () => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /** Tells it once a frame. A timer where there are no frames: in tests, and in hidden tabs. */
  changed(): void {
    if (this.#isDue || !this.#changes.hasListeners) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#changes.notify();
    }, FRAME);
  }

  /** An undo that tells of the change, as the registration does. */
  registered(undo: () => void): () => void {
    this.changed();
    return () => {
      undo();
      this.changed();
    };
  }
}

const FRAME = 16;

export class InstructionRegistry {
  #entries = new Map<string, InstructionEntry>();

  register(entry: InstructionEntry): () => void {
    this.#entries.set(entry.id, entry);
    return () => {
      if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
    };
  }

  list(): InstructionEntry[] {
    return [...this.#entries.values()].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
  }
}

export class ContextRegistry {
  /** What the user mentioned in the message that is being answered. */
  mentioned: readonly string[] = [];
  #entries = new Map<string, ContextEntry>();
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * An entry with a known id takes the place of the one before. The function undoes only its own
   * registration.
   */
  register(entry: ContextEntry): () => void {
    this.#entries.set(entry.id, entry);
    return () => {
      if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
    };
  }

  list(): ContextEntryInfo[] {
    return this.#distinct().map(({ entry: { value: _, items: __, prepare: ___, auto = true, ...info } }) => ({
      ...info,
      auto,
    }));
  }

  /** Of those that are sent now, those that keep more than they send. */
  withItems(): ContextEntry[] {
    return this.#sorted().filter((entry) => entry.items && this.#isSent(entry, this.mentioned));
  }

  /** Those whose values take a moment to get. */
  slow(): ContextEntry[] {
    return this.#sorted().filter(({ prepare }) => prepare);
  }

  /** Reads the values now: those sent always, and those mentioned. */
  collect(mentions: readonly string[] = []): CollectedContext[] {
    return this.#distinct().flatMap(({ entry, page }) => {
      const value = this.#isSent(entry, mentions) ? (page ?? readValue(entry)) : undefined;
      if (value === undefined) return [];
      const { id, description, label, source } = entry;
      const kind = mentions.includes(id) ? "mention" : entry.kind;
      return [{ item: { description, value }, detail: { id, label, source, kind } }];
    });
  }

  /** A mention counts more than a switch. */
  #isSent({ id, auto }: ContextEntry, mentions: readonly string[]): boolean {
    return mentions.includes(id) || (auto !== false && this.#page.isOn("context", id));
  }

  /**
   * What is told of the page once is not told again: of entries that say the same of it, the first.
   */
  #distinct(): { entry: ContextEntry; page?: string }[] {
    const told = new Set<string>();
    return this.#sorted().flatMap((entry) => {
      if (entry.kind !== "page") return [{ entry }];
      const page = readValue(entry);
      if (page === undefined) return [{ entry }];
      return told.has(page) ? [] : [(told.add(page), { entry, page })];
    });
  }

  /** The page first, then in the order of registration. */
  #sorted(): ContextEntry[] {
    return [...this.#entries.values()].sort((a, b) => Number(b.kind === "page") - Number(a.kind === "page"));
  }
}

/** The value as text. One that cannot be read costs only itself, not the user's message. */
function readValue({ id, value }: ContextEntry): string | undefined {
  try {
    const current: unknown = typeof value === "function" ? (value as () => unknown)() : value;
    return typeof current === "string" ? current : JSON.stringify(current);
  } catch (error) {
    console.warn(`Pageside: the context entry "${id}" is left out because its value could not be read.`, error);
    return undefined;
  }
}

export class PlaceRegistry {
  #base: Place | undefined;
  #parts: Partial<Place>[] = [];

  set(place: Place | undefined): void {
    this.#base = place;
  }

  register(part: Partial<Place>): () => void {
    this.#parts.push(part);
    return () => {
      this.#parts = this.#parts.filter((other) => other !== part);
    };
  }

  current(): Place | undefined {
    const place: Partial<Place> = {};
    for (const { scope, ...path } of [this.#base ?? {}, ...this.#parts]) {
      Object.assign(place, compact(path));
      if (scope) place.scope = { ...place.scope, ...scope };
    }
    return place.page === undefined ? undefined : (place as Place);
  }
}

/** Answers what the page was asked for beyond what it sent. */
export const retrieveTool = (context: ContextRegistry): FrontendTool<RetrieveRequest> => ({
  name: "retrieve_items",
  description: "Returns items of the page in full: those whose ids or positions you name, or whose summary was cut.",
  parameters: {
    type: "object",
    properties: {
      source: { type: "string", description: "label or description of the context item; default all" },
      ids: { type: "array", items: { type: ["string", "number"] } },
      from: { type: "integer", minimum: 0, description: "first position, from 0" },
      to: { type: "integer", minimum: 0, description: "position after the last" },
      fields: { type: "array", items: { type: "string" } },
    },
  },
  handler: async (request) => (await import("./retrieve.js")).retrieve(context.withItems(), request),
});

const NO_PARAMETERS = { type: "object", properties: {} };

const converted = new WeakMap<FrontendTool, JsonSchema>();

/** What the model is told about the arguments. */
function jsonSchemaOf(tool: FrontendTool): JsonSchema {
  const { name, parameters = NO_PARAMETERS, toJsonSchema } = tool;
  const standard = (parameters as Partial<StandardSchema>)["~standard"];
  if (!standard && !toJsonSchema) return parameters as JsonSchema;
  let schema = converted.get(tool);
  if (!schema) {
    schema = toJsonSchema?.(parameters) ?? standard?.jsonSchema?.input({ target: "draft-2020-12" });
    if (!schema)
      throw new Error(`Pageside: the schema of the tool "${name}" has no JSON Schema. Say how with \`toJsonSchema\`.`);
    converted.set(tool, schema);
  }
  return schema;
}

let lastOrder = 0;

/** A place above all those given before, for the `order` of a tool. */
export const nextOrder = () => ++lastOrder;

export class ToolRegistry {
  #stacks = new Map<string, { tool: FrontendTool; order: number }[]>();
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * Of one name, a higher order is above a lower one, and of two that are equal the newer one. The
   * function undoes it.
   */
  register(tool: FrontendTool): () => void {
    jsonSchemaOf(tool); // throws here where there is none, and not when the user asks
    const stack = this.#stacks.get(tool.name) ?? [];
    this.#stacks.set(tool.name, stack);
    const item = { tool, order: tool.order ?? nextOrder() };
    stack.splice(stack.findLastIndex(({ order }) => order <= item.order) + 1, 0, item);
    return () => {
      const at = stack.indexOf(item);
      if (at >= 0) stack.splice(at, 1);
    };
  }

  /**
   * The tool that would run: the uppermost that can. A render-only one never does, and hides none
   * below it.
   */
  runnable(name: string): FrontendTool | undefined {
    return this.#stacks.get(name)?.findLast(({ tool }) => tool.handler && tool.available !== "disabled")?.tool;
  }

  /** What is offered to the model, by name. */
  list(): Tool[] {
    return this.entries()
      .filter(({ name }) => this.#page.isOn("tool", name))
      .map(({ source: _, destructive: __, ...tool }) => tool);
  }

  /** Also those that are switched off. */
  entries(): ToolEntryInfo[] {
    return [...this.#stacks.keys()].sort().flatMap((name) => {
      const tool = this.runnable(name);
      if (!tool) return [];
      const { description, source, destructive } = tool;
      const parameters = jsonSchemaOf(tool);
      return [{ name, description, parameters, ...(source && { source }), ...(destructive && { destructive }) }];
    });
  }
}
