import { pluginsOf, type IncludedKind, type PagesideClient, type Place } from "@pageside/core";
import { useEffect, useMemo, useReducer } from "react";
import { toolTitle } from "../../ui/format.js";
import { tokensIn, tokensOfContext, tokensOfTool } from "./size.js";

/** One thing that is sent along with messages, or could be. */
export interface SeenItem {
  /** What it is. */
  kind: IncludedKind;
  /** Its id among those of its kind. */
  id: string;
  /** Its name on screen. */
  title: string;
  /** Under the title. */
  description?: string;
  /** The name of the plug-in that registered it, or else the source it gave. */
  source?: string;
  /** Of a context entry: its kind. */
  contextKind?: "page" | "dynamic" | "selection" | "mention";
  /** Is it switched on? */
  included: boolean;
  /** Sent with every message while it is on, or only when the user mentions it. */
  auto: boolean;
  /** Exactly what is sent; absent if there is nothing. */
  value?: string;
  /** How much it is when it is sent. */
  tokens: number;
}

interface Seen {
  place: Place | undefined;
  context: readonly SeenItem[];
  tools: readonly SeenItem[];
  instructions: readonly SeenItem[];
}

/** What the assistant sees now: read at first, and whenever the page says that it changed. */
export function useSees(client: PagesideClient, toolLabels?: Readonly<Record<string, string>>): Seen {
  const [version, readAgain] = useReducer((count: number) => count + 1, 0);

  useEffect(() => client.subscribePage(readAgain), [client]);

  return useMemo(() => {
    void version; // the page has changed with it
    return read(client, toolLabels);
  }, [client, toolLabels, version]);
}

function read(client: PagesideClient, toolLabels: Readonly<Record<string, string>> = {}): Seen {
  const entries = client.getContextEntries();
  const sent = new Map(client.getContext(entries.map(({ id }) => id)).map((item) => [item.id, item]));
  const instructions = client.getInstructions();
  const plugins = new Map(pluginsOf(client).map(({ id, name }) => [id, name]));
  const nameOf = (source: string | undefined) => (source === undefined ? source : (plugins.get(source) ?? source));
  return {
    place: client.getPlace(),
    context: entries.map(({ id, description, label, source, kind, auto }): SeenItem => {
      const item = sent.get(id);
      return {
        kind: "context",
        id,
        title: label ? `@${label.replace(/^@/, "")}` : description,
        description: label && description,
        source: nameOf(source),
        contextKind: kind,
        included: client.isIncluded("context", id),
        auto,
        value: item?.value,
        tokens: item ? tokensOfContext(item) : 0,
      };
    }),
    tools: client.getToolEntries().map(({ source, ...tool }) => ({
      kind: "tool",
      id: tool.name,
      title: toolLabels[tool.name] ?? toolTitle(tool.name),
      description: tool.description,
      source: nameOf(source),
      included: client.isIncluded("tool", tool.name),
      auto: true,
      value: JSON.stringify(tool.parameters, null, 2),
      tokens: tokensOfTool(tool),
    })),
    instructions: instructions.map(({ id, text, source }) => ({
      kind: "instructions",
      id,
      title: text.replace(/\s+/g, " ").slice(0, 80),
      source: nameOf(source),
      included: client.isIncluded("instructions", id),
      auto: true,
      value: text,
      tokens: tokensIn(text),
    })),
  };
}

/** The tokens of what is sent along with every message. */
export const sizeOf = (items: readonly SeenItem[]): number =>
  items.filter(({ included, auto }) => included && auto).reduce((sum, { tokens }) => sum + tokens, 0);
