import type { ReactNode } from "react";
import { useLabels } from "../labels/useLabels.js";
import { humanize, pretty } from "./format.js";

/** How values are shown. */
export interface ValueLook {
  /** Deeper than this, a value is shown as text. */
  maxDepth: number;
  /** Entries of a list or an object that are shown. */
  maxEntries: number;
  /** What lists are: `ol` counts their values. */
  list: "ul" | "ol";
  /** The names of an object's entries. */
  names: (names: readonly string[]) => readonly ReactNode[];
  /** What is not empty, and no list, object or boolean. */
  text: (value: unknown) => ReactNode;
}

const FOR_READING: ValueLook = {
  maxDepth: 5,
  maxEntries: 50,
  list: "ul",
  names: (names) => names.map(humanize),
  text: (value) => (Array.isArray(value) && value.length === 0 ? "–" : pretty(value)),
};

interface KeyValuesProps {
  value: unknown;
  /** By default for reading: long and deep data is cut. */
  look?: ValueLook;
  /** How deep in the data the value is. */
  depth?: number;
}

/** Data as names and values, lists as lists. */
export function KeyValues({ value, look = FOR_READING, depth = 0 }: KeyValuesProps): ReactNode {
  const labels = useLabels();
  const fits = depth <= look.maxDepth;
  if (typeof value === "boolean") return value ? labels.yes : labels.no;
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value) && value.length > 0 && fits) return <Values values={value} look={look} depth={depth} />;
  if (typeof value !== "object" || Array.isArray(value)) return look.text(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (entries.length === 0) return <span className="ps-muted">{depth === 0 ? labels.cardEmpty : "–"}</span>;
  return fits ? <Entries entries={entries} look={look} depth={depth} /> : look.text(value);
}

interface PartProps {
  look: ValueLook;
  depth: number;
}

function Entries({ entries, look, depth }: PartProps & { entries: [string, unknown][] }) {
  const shown = entries.slice(0, look.maxEntries);
  const names = look.names(shown.map(([name]) => name));
  return (
    <dl className="ps-values ps-stack ps-tight">
      {shown.map(([name, each], index) => (
        <div key={name} data-wide={isWide(each) || undefined}>
          <dt>{names[index]}</dt>
          <dd dir="auto">
            <KeyValues value={each} look={look} depth={depth + 1} />
          </dd>
        </div>
      ))}
      {entries.length > shown.length && (
        <div>
          <dt>…</dt>
          <dd />
        </div>
      )}
    </dl>
  );
}

function Values({ values, look, depth }: PartProps & { values: unknown[] }) {
  const List = look.list;
  return (
    <List className="ps-value-list ps-stack">
      {values.slice(0, look.maxEntries).map((each, index) => (
        <li key={index} dir="auto">
          <KeyValues value={each} look={look} depth={depth + 1} />
        </li>
      ))}
      {values.length > look.maxEntries && <li>…</li>}
    </List>
  );
}

/** Reports whether a value needs a line of its own below its name. */
const isWide = (value: unknown) =>
  typeof value === "object" ? value !== null : typeof value === "string" && (value.length > 32 || value.includes("\n"));
