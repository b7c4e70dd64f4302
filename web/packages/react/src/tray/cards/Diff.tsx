import type { CSSProperties } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { humanize } from "../../ui/format.js";
import { KeyValues } from "../../ui/KeyValues.js";

/** The props of `<PayloadDiff>`. */
export interface PayloadDiffProps {
  /** What there is; absent if something new is proposed. */
  before?: Readonly<Record<string, unknown>> | null;
  /** The proposal; while it streams, what has arrived so far. */
  after?: Readonly<Record<string, unknown>> | null;
  /** Names of fields on screen; default made from their names. */
  names?: Readonly<Record<string, string>>;
  /** Only these fields, in this order. */
  fields?: readonly string[];
}

// Styles are here, not in the style sheet, so that they load with the diff.
const none: CSSProperties = { margin: 0 };
const part = (color: string): CSSProperties => ({
  margin: "2px 0 0",
  padding: "2px 8px",
  borderInlineStart: `2px solid var(--ps-${color})`,
  whiteSpace: "pre-wrap",
  overflowWrap: "anywhere",
});

type Change = "added" | "removed" | "changed";

/**
 * What a proposal changes, field by field, for a card with Accept and Dismiss. Fields that stay the
 * same are only counted.
 *
 * @example
 * usePayload("stream_changes", {
 *   render: ({ data }) => <PayloadDiff before={stream} after={data} />,
 *   accept: save,
 * });
 */
export function PayloadDiff({ before, after, names, fields }: PayloadDiffProps) {
  const labels = useMessageLabels();
  const [old, next] = [before ?? {}, after ?? {}];
  const all = fields ?? [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const rows = all.flatMap((name) => {
    const change = changeOf(old[name], next[name]);
    return change ? [{ name, change }] : [];
  });
  const same = all.length - rows.length;
  return (
    <div>
      {rows.length === 0 && (
        <p className="ps-muted" style={none}>
          {labels.noChanges}
        </p>
      )}
      <dl style={{ ...none, display: "flex", flexDirection: "column", gap: 8 }}>
        {rows.map(({ name, change }) => (
          <div key={name} data-change={change}>
            <dt style={{ fontWeight: 500 }}>
              {names?.[name] ?? humanize(name)} <span className="ps-muted">{labels.fieldChange(change)}</span>
            </dt>
            {change !== "added" && (
              <dd style={part("danger")}>
                <span className="ps-sr-only">{labels.before}: </span>
                <del dir="auto" style={{ color: "var(--ps-muted)" }}>
                  <KeyValues value={old[name]} depth={1} />
                </del>
              </dd>
            )}
            {change !== "removed" && (
              <dd style={part("success")}>
                <span className="ps-sr-only">{labels.after}: </span>
                <ins dir="auto" style={{ textDecoration: "none" }}>
                  <KeyValues value={next[name]} depth={1} />
                </ins>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {rows.length > 0 && same > 0 && (
        <p className="ps-muted" style={{ margin: "8px 0 0" }}>
          {labels.unchanged(same)}
        </p>
      )}
    </div>
  );
}

function changeOf(before: unknown, after: unknown): Change | undefined {
  if (before === undefined) return after === undefined ? undefined : "added";
  if (after === undefined) return "removed";
  return canonical(before) === canonical(after) ? undefined : "changed";
}

/** JSON with the keys in order. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ) ?? String(value)
  );
}
