import { useLabels } from "../labels/useLabels.js";
import { humanize, pretty } from "./format.js";

/** Deeper than this, a value is shown as JSON. */
const MAX_DEPTH = 5;
/** Entries of a list or an object that are shown. */
const MAX_ENTRIES = 50;

/** Data for reading: names and values, lists as lists. */
export function KeyValues({ value, depth = 0 }: { value: unknown; depth?: number }) {
  const labels = useLabels();
  if (Array.isArray(value) && value.length > 0 && depth <= MAX_DEPTH) return <Values values={value} depth={depth} />;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    if (entries.length === 0) return <span className="ps-muted">{depth === 0 ? labels.cardEmpty : "–"}</span>;
    if (depth <= MAX_DEPTH) return <Entries entries={entries} depth={depth} />;
  }
  return <Scalar value={value} />;
}

function Entries({ entries, depth }: { entries: [string, unknown][]; depth: number }) {
  return (
    <dl className="ps-values ps-stack ps-tight">
      {entries.slice(0, MAX_ENTRIES).map(([name, each]) => (
        <div key={name} data-wide={isWide(each) || undefined}>
          <dt>{humanize(name)}</dt>
          <dd dir="auto">
            <KeyValues value={each} depth={depth + 1} />
          </dd>
        </div>
      ))}
      {entries.length > MAX_ENTRIES && (
        <div>
          <dt>…</dt>
          <dd />
        </div>
      )}
    </dl>
  );
}

function Values({ values, depth }: { values: unknown[]; depth: number }) {
  return (
    <ul className="ps-value-list ps-stack">
      {values.slice(0, MAX_ENTRIES).map((each, index) => (
        <li key={index} dir="auto">
          <KeyValues value={each} depth={depth + 1} />
        </li>
      ))}
      {values.length > MAX_ENTRIES && <li>…</li>}
    </ul>
  );
}

function Scalar({ value }: { value: unknown }) {
  const labels = useLabels();
  if (typeof value === "boolean") return <>{value ? labels.yes : labels.no}</>;
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0))
    return <>–</>;
  return <>{pretty(value)}</>;
}

/** Reports whether a value needs a line of its own below its name. */
function isWide(value: unknown): boolean {
  return typeof value === "object" ? value !== null : typeof value === "string" && value.length > 32;
}
