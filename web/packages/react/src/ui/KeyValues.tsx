import type { ReactNode } from "react";
import { useLabels } from "../labels/useLabels.js";
import { humanize, pretty } from "./format.js";
import { Revealed } from "./Revealed.js";
import { hidesSomething } from "./unseen.js";

/** Deeper than this, a value is shown as JSON. */
const MAX_DEPTH = 5;
const MAX_DEPTH_WHOLE = 3;
/** Entries of a list or an object that are shown. */
const MAX_ENTRIES = 50;

/** The props of `<KeyValues>`. */
export interface KeyValuesProps {
  value: unknown;
  /** Is it read before it is agreed to? Then all of it is shown, with whatever its texts hide. */
  whole?: boolean;
  depth?: number;
}

/** Data for reading: names and values, lists as lists. */
export function KeyValues({ value, whole = false, depth = 0 }: KeyValuesProps): ReactNode {
  const labels = useLabels();
  if (typeof value === "boolean") return labels.yesOrNo(value);
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value) && value.length === 0) return "–";
  if (typeof value !== "object" || depth > (whole ? MAX_DEPTH_WHOLE : MAX_DEPTH))
    return whole ? <Revealed text={atAnyLength(value)} /> : pretty(value);
  if (Array.isArray(value)) return <List values={value} whole={whole} depth={depth} />;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (entries.length > 0) return <Entries entries={entries} whole={whole} depth={depth} />;
  return <span className="ps-muted">{depth === 0 ? labels.empty : "–"}</span>;
}

const atAnyLength = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

interface PartsProps {
  whole: boolean;
  depth: number;
}

function Entries({ entries, whole, depth }: PartsProps & { entries: [string, unknown][] }) {
  const shown = whole ? entries : entries.slice(0, MAX_ENTRIES);
  const titles = shown.map(([name]) => humanize(name));
  const counts = new Map<string, number>();
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1);
  const isClear = (name: string, title: string) => isPlain(name) && counts.get(title) === 1;
  return (
    <dl className="ps-values ps-stack ps-tight">
      {shown.map(([name, each], index) => (
        <div key={name} data-wide={isWide(each) || undefined}>
          <dt>{whole && !isClear(name, titles[index]!) ? <Written name={name} /> : titles[index]}</dt>
          <dd dir="auto">
            <KeyValues value={each} whole={whole} depth={depth + 1} />
          </dd>
        </div>
      ))}
      {shown.length < entries.length && (
        <div>
          <dt>…</dt>
          <dd />
        </div>
      )}
    </dl>
  );
}

function List({ values, whole, depth }: PartsProps & { values: unknown[] }) {
  const Tag = whole ? "ol" : "ul";
  const shown = whole ? values : values.slice(0, MAX_ENTRIES);
  return (
    <Tag className="ps-value-list ps-stack">
      {shown.map((each, index) => (
        <li key={index} dir="auto">
          <KeyValues value={each} whole={whole} depth={depth + 1} />
        </li>
      ))}
      {shown.length < values.length && <li>…</li>}
    </Tag>
  );
}

/** A name as it is written, where it is no plain one or where two would look the same. */
const Written = ({ name }: { name: string }) => (
  <>
    “<Revealed text={name} />”
  </>
);

const isPlain = (name: string) => /^[\p{L}\p{N}_.:/ -]{1,64}$/u.test(name) && !hidesSomething(name);

/** Reports whether a value needs a line of its own below its name. */
const isWide = (value: unknown) =>
  typeof value === "object" ? value !== null : typeof value === "string" && (value.length > 32 || value.includes("\n"));
