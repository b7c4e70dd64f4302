import { useEffect, useMemo, useState } from "react";
import { researchApi } from "../api.ts";
import type { Column, ColumnValues } from "../types.ts";

type Computed = ReadonlyMap<string, ColumnValues>;

/**
 * The values of columns for rows, by column name and row id. A column without an entry is still
 * being computed. What was computed is kept as long as the component is mounted.
 */
export function useColumnValues(
  columns: readonly Column[],
  ids: readonly string[],
  kind: "pmids" | "ncts",
): ReadonlyMap<string, ColumnValues> {
  const [computed, setComputed] = useState<Computed>(() => new Map());
  const work = JSON.stringify(columns.map(({ name, match, type }) => ({ name, match, type })));
  const rows = ids.join(",");

  useEffect(() => {
    if (rows === "") return;
    const gone = new AbortController();
    const keep = (key: string, values: ColumnValues) => setComputed((was) => new Map(was).set(key, values));
    for (const { match, type } of JSON.parse(work) as Column[]) {
      const key = keyOf(match, type, rows);
      researchApi.previewColumn({ match, type, [kind]: rows.split(",") }, gone.signal).then(
        (values) => keep(key, values),
        () => {
          if (!gone.signal.aborted) keep(key, {}); // shown as nothing known
        },
      );
    }
    return () => gone.abort();
  }, [work, rows, kind]);

  return useMemo(() => valuesOf(JSON.parse(work) as Column[], rows, computed), [work, rows, computed]);
}

function valuesOf(columns: readonly Column[], rows: string, computed: Computed): ReadonlyMap<string, ColumnValues> {
  const values = new Map<string, ColumnValues>();
  for (const { name, match, type } of columns) {
    const found = rows === "" ? {} : computed.get(keyOf(match, type, rows));
    if (found) values.set(name, found);
  }
  return values;
}

const keyOf = (match: Column["match"], type: Column["type"], rows: string) => JSON.stringify([match, type, rows]);
