/** Retrieves items that the page's context summarises, for the assistant. */
import { isObjectOrArray, membersOf } from "../base/values.js";
import type { ContextEntry } from "../page/types.js";

/** The arguments of `retrieve_items`. */
export interface RetrieveRequest {
  /** An entry's id, label or description; default: all entries with items. */
  source?: string;
  ids?: (string | number)[];
  /** Positions, from 0; `to` is not included. */
  from?: number;
  to?: number;
  fields?: string[];
}

/** The most items, and about the most characters, in one answer. */
const MOST = 50;
const MOST_CHARACTERS = 30_000;

/** The names under which an item may carry its id. */
const ID_KEYS = ["id", "_id", "key", "uuid", "pmid", "nct_id"];

/** Answers a call of `retrieve_items`. Says what it left out. Throws if there is no such entry. */
export function retrieve(entries: readonly ContextEntry[], request: RetrieveRequest): object {
  const { source } = request;
  const asked = entries.filter(({ id, label, description }) => !source || [id, label, description].includes(source));
  if (asked.length === 0) {
    const known = entries.map(({ label, description }) => label ?? description);
    throw new Error(
      `Nothing on the page is called ${JSON.stringify(source)}. There is: ${known.join(", ") || "nothing"}.`,
    );
  }
  const budget = { items: MOST, characters: MOST_CHARACTERS };
  return { results: asked.map((entry) => take(entry, request, budget)) };
}

interface Budget {
  items: number;
  characters: number;
}

function take(entry: ContextEntry, { ids, from = 0, to, fields }: RetrieveRequest, budget: Budget): object {
  const all = entry.items?.() ?? [];
  const wanted = new Set(ids?.map(String));
  const selected = all
    .map((item, position) => ({ item, position }))
    .slice(ids ? 0 : from, ids ? undefined : to)
    .filter(({ item }) => !ids || wanted.has(idOf(item)));
  const items: object[] = [];
  for (const { item, position } of selected) {
    const shown = { position, item: fields ? pick(item, fields) : item };
    const size = JSON.stringify(shown)?.length ?? 0;
    if (budget.items === 0 || (size > budget.characters && items.length > 0)) break;
    budget.items--;
    budget.characters -= size;
    items.push(shown);
  }
  const left = selected.length - items.length;
  return {
    source: entry.label ?? entry.description,
    total: all.length,
    items,
    ...(left > 0 && { leftOut: left, next: "Ask again from the position after the last one, or for fewer fields." }),
    ...(ids && selected.length < wanted.size && { notFound: missing(wanted, selected) }),
  };
}

function missing(wanted: ReadonlySet<string>, selected: readonly { item: unknown }[]): string[] {
  const found = new Set(selected.map(({ item }) => idOf(item)));
  return [...wanted].filter((id) => !found.has(id));
}

function idOf(item: unknown): string {
  const record = membersOf(item);
  const key = ID_KEYS.find((name) => Object.hasOwn(record, name));
  return key ? String(record[key]) : String(item);
}

function pick(item: unknown, fields: readonly string[]): unknown {
  if (!isObjectOrArray(item)) return item;
  return Object.fromEntries(fields.filter((f) => Object.hasOwn(item, f)).map((f) => [f, item[f]]));
}
