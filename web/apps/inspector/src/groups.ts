/**
 * Runs by question and thread. A tool of the page ends a run, and its result begins the next one:
 * for the reader that is one question.
 */
import type { Summary, Usage } from "./api.ts";

/** A question, and the runs that answer it. */
export interface Question {
  key: string;
  text: string;
  /** Oldest first. */
  runs: Summary[];
}

/** The questions of a thread, newest first. */
export interface ThreadGroup {
  threadId: string;
  name: string;
  questions: Question[];
}

/**
 * The name of the thread that runs belong to, oldest first: its title, else its first question,
 * else its id.
 */
export function threadNameOf(runs: readonly Pick<Summary, "threadId" | "threadTitle" | "question">[]): string {
  const [first] = runs;
  const titles = runs.flatMap(({ threadTitle }) => threadTitle || []);
  return titles.at(-1) || first?.question || first?.threadId || "";
}

const keyOf = ({ threadId, questionId, id }: Summary) => JSON.stringify([threadId, questionId ?? id]);

/** Groups runs: the thread and the question with the newest run come first. */
export function groupRuns(runs: readonly Summary[]): ThreadGroup[] {
  const questions = new Map<string, Question>();
  for (const run of [...runs].sort((a, b) => Date.parse(b.beganAt) - Date.parse(a.beganAt))) {
    const key = keyOf(run);
    const question = questions.get(key) ?? { key, text: run.question, runs: [] };
    question.runs.unshift(run);
    questions.set(key, question);
  }
  const threads = new Map<string, ThreadGroup>();
  for (const question of questions.values()) {
    const { threadId } = question.runs[0]!;
    const group = threads.get(threadId) ?? { threadId, name: "", questions: [] };
    group.questions.push(question);
    threads.set(threadId, group);
  }
  const groups = [...threads.values()];
  for (const group of groups) group.name = threadNameOf([...group.questions].reverse().flatMap(({ runs }) => runs));
  return groups;
}

/** The question that a run answers. */
export const questionOf = (groups: readonly ThreadGroup[], runId?: string) =>
  groups.flatMap(({ questions }) => questions).find(({ runs }) => runs.some(({ id }) => id === runId));

/** The status of a question is that of its newest run. */
export const statusOf = ({ runs }: Question) => runs.at(-1)!.status;

/** How long it took from the first run to the end of the last one. */
export function tookOf({ runs }: Question, now: number): number {
  const end = runs.at(-1)!.endedAt;
  return (end ? Date.parse(end) : now) - Date.parse(runs[0]!.beganAt);
}

/** What all runs used. A count known of only some is the sum of those. */
export function usageOf(runs: readonly Summary[]): Usage {
  const sum: Usage = { prompt: 0 };
  const names = ["prompt", "input", "output", "reasoning", "cacheRead", "cacheWrite", "cost", "unpriced"] as const;
  for (const { usage } of runs) {
    for (const name of names) {
      const count = usage[name];
      if (count !== undefined) sum[name] = (sum[name] ?? 0) + count;
    }
  }
  return sum;
}
