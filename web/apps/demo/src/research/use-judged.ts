import { useEffect, useRef, useState } from "react";
import { messageOf } from "../ui/text.ts";
import { researchApi } from "./api.ts";
import type { Cell, Column, ColumnValues } from "./types.ts";

/** Values of columns, by column name and row id. A column that is being judged has no entry. */
export type Values = ReadonlyMap<string, ColumnValues>;

/** How far the model is with a column. */
export interface Progress {
  state: "judging" | "done" | "stopped" | "failed";
  done: number;
  total: number;
  /** How the model judges, in its words. */
  note?: string;
  /** What went wrong. */
  error?: string;
}

/** What a model says of rows, column by column. */
export interface Judged {
  values: Values;
  /** By column name and row id, also while the column is being judged. */
  cells: ReadonlyMap<string, Readonly<Record<string, Cell>>>;
  progress: ReadonlyMap<string, Progress>;
  /** Stops judging by a column. What is judged stays. */
  stop(column: Column): void;
  /** Goes on after a stop or a failure. */
  go(column: Column): void;
}

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
export function useJudged(columns: readonly Column[], ids: readonly string[], kind: "pmids" | "ncts"): Judged {
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

  const progress = new Map(columns.map((column) => [column.name, progressOf(column, ids, answers, halted)]));
  const cells = new Map(columns.map((column) => [column.name, (answers.get(keyOf(column)) ?? NONE).cells]));
  const settled = columns.filter(({ name }) => progress.get(name)!.state !== "judging");
  return {
    progress,
    cells,
    values: new Map(settled.map(({ name }) => [name, valuesOf(cells.get(name)!, ids)])),
    stop: (column) => setHalted((was) => new Map(was).set(keyOf(column), undefined)),
    go: (column) => setHalted((was) => new Map([...was].filter(([key]) => key !== keyOf(column)))),
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

function progressOf(
  column: Column,
  ids: readonly string[],
  answers: ReadonlyMap<string, Answers>,
  halted: ReadonlyMap<string, string | undefined>,
): Progress {
  const key = keyOf(column);
  const { cells, note } = answers.get(key) ?? NONE;
  const done = ids.filter((id) => id in cells).length;
  const error = halted.get(key);
  const unfinished = halted.has(key) ? (error ? "failed" : "stopped") : "judging";
  return { state: done === ids.length ? "done" : unfinished, done, total: ids.length, note, error };
}

function valuesOf(cells: Readonly<Record<string, Cell>>, ids: readonly string[]): ColumnValues {
  return Object.fromEntries(ids.map((id) => [id, cells[id]?.value ?? null]));
}

const keyOf = ({ criteria, type }: Column) => JSON.stringify([criteria, type]);
