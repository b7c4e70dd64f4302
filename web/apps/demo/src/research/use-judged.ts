import { useEffect, useRef, useState } from "react";
import { messageOf } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import type { Cell, Column, ColumnValues } from "./types.ts";

/** A column, what the model says of each row, and how far it is. */
export interface JudgedColumn<Kind extends Column = Column> {
  column: Kind;
  /** By row id, also while the column is being judged. */
  cells: Readonly<Record<string, Cell>>;
  state: "judging" | "done" | "stopped" | "failed";
  done: number;
  total: number;
  /** How the model judges, in its words. */
  note?: string;
  /** What went wrong. */
  error?: string;
}

/** What a model says of rows, column by column. */
export interface Judged<Kind extends Column = Column> {
  columns: readonly JudgedColumn<Kind>[];
  /** Values by column name and row id. A column that is being judged has no entry. */
  values: ReadonlyMap<string, ColumnValues>;
  /** Whether no column is being judged. */
  settled: boolean;
  /** Stops judging by a column, or goes on after a stop or a failure. What is judged stays. */
  toggle(column: Column): void;
}

/** What the columns say of a row, by name; null where it is not known. */
export const columnsOf = ({ columns, values }: Judged, id: string) =>
  Object.fromEntries(columns.map(({ column: { name } }) => [name, values.get(name)?.[id] ?? null]));

/** Rows of one request, which the server judges a few at a time. */
const BATCH = 24;
/** Requests at a time for each column. */
const REQUESTS = 2;

interface Answers {
  cells: Readonly<Record<string, Cell>>;
  note?: string;
}

const NONE: Answers = { cells: {} };

/** Has a model judge rows by columns, each row once while the component is mounted. */
export function useJudged<Kind extends Column>(
  columns: readonly Kind[],
  ids: readonly string[],
  kind: "pmids" | "ncts",
): Judged<Kind> {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answers>>(new Map());
  /** Columns that are stopped, with the error that stopped them. */
  const [halted, setHalted] = useState<ReadonlyMap<string, string | undefined>>(new Map());
  const known = useRef(answers);
  const work = JSON.stringify(columns.filter((column) => !halted.has(keyOf(column))));
  const rows = ids.join(",");

  useEffect(() => {
    if (rows === "") return;
    const gone = new AbortController();
    for (const column of JSON.parse(work) as Column[]) {
      const key = keyOf(column);
      const { cells } = known.current.get(key) ?? NONE;
      const missing = rows.split(",").filter((id) => !(id in cells));
      const keep = (more: Answers) => {
        const was = known.current.get(key) ?? NONE;
        const next = { note: more.note ?? was.note, cells: { ...was.cells, ...more.cells } };
        known.current = new Map(known.current).set(key, next);
        setAnswers(known.current);
      };
      judge(column, missing, kind, keep, gone.signal).catch((error: unknown) => {
        if (!gone.signal.aborted) setHalted((was) => new Map(was).set(key, messageOf(error)));
      });
    }
    return () => gone.abort();
  }, [work, rows, kind]);

  const judged = columns.map((column): JudgedColumn<Kind> => {
    const key = keyOf(column);
    const { cells, note } = answers.get(key) ?? NONE;
    const done = ids.filter((id) => id in cells).length;
    const error = halted.get(key);
    const unfinished = halted.has(key) ? (error ? "failed" : "stopped") : "judging";
    return { column, cells, state: done === ids.length ? "done" : unfinished, done, total: ids.length, note, error };
  });
  const settled = judged.filter(({ state }) => state !== "judging");
  return {
    columns: judged,
    settled: settled.length === judged.length,
    values: new Map(settled.map(({ column, cells }) => [column.name, valuesOf(cells, ids)])),
    toggle: (column) =>
      setHalted((was) => {
        const next = new Map(was);
        return next.delete(keyOf(column)) ? next : next.set(keyOf(column), undefined);
      }),
  };
}

/** Asks about the rows, a batch after the other. */
async function judge(
  { criteria, type }: Column,
  ids: readonly string[],
  kind: "pmids" | "ncts",
  keep: (answers: Answers) => void,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < ids.length) {
      const batch = ids.slice(next, (next += BATCH));
      const { cells, note } = await researchApi.judge({ criteria, type, [kind]: batch }, signal);
      // A row that is gone counts as judged, or it would be asked about for ever.
      keep({ note, cells: { ...Object.fromEntries(batch.map((id) => [id, NOTHING])), ...cells } });
    }
  };
  await Promise.all(Array.from({ length: REQUESTS }, work));
}

const NOTHING: Cell = { value: null, quoted: false };

function valuesOf(cells: Readonly<Record<string, Cell>>, ids: readonly string[]): ColumnValues {
  return Object.fromEntries(ids.map((id) => [id, cells[id]?.value ?? null]));
}

const keyOf = ({ criteria, type }: Column) => JSON.stringify([criteria, type]);
