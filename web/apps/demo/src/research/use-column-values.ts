import { useEffect, useState } from "react";
import { researchApi } from "./api.ts";
import type { Column, ColumnValues } from "./types.ts";

/** Values of columns, by column name and row id. A column without an entry is being computed. */
export type Values = ReadonlyMap<string, ColumnValues>;

/** The values of columns for rows, cached while the component is mounted. */
export function useColumnValues(columns: readonly Column[], ids: readonly string[], kind: "pmids" | "ncts"): Values {
  const [computed, setComputed] = useState<Values>(new Map());
  const work = JSON.stringify(columns.map((column) => ({ column, key: keyOf(column, ids) })));
  const rows = ids.join(",");
  useEffect(() => {
    if (rows === "") return;
    const gone = new AbortController();
    for (const { column, key } of JSON.parse(work) as { column: Column; key: string }[]) {
      const keep = (values: ColumnValues) => setComputed((was) => new Map(was).set(key, values));
      const { match, type } = column;
      researchApi.previewColumn({ match, type, [kind]: rows.split(",") }, gone.signal).then(
        keep,
        () => gone.signal.aborted || keep({}), // shown as nothing known
      );
    }
    return () => gone.abort();
  }, [work, rows, kind]);
  return new Map(
    columns.flatMap((column) => {
      const values = rows === "" ? {} : computed.get(keyOf(column, ids));
      return values ? [[column.name, values]] : [];
    }),
  );
}

const keyOf = ({ match, type }: Column, ids: readonly string[]) => JSON.stringify([match, type, ids]);
