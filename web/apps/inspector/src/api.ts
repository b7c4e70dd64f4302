import { send } from "./session.ts";

/**
 * The server's description of runs. Package `inspect` has the same types. A count that is missing
 * is unknown, not zero.
 */
export interface Usage {
  /** An estimate of what was sent. */
  prompt: number;
  input?: number;
  output?: number;
  reasoning?: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** In US dollars. That of a run leaves out calls of unknown cost. */
  cost?: number;
  /** How many calls are of unknown cost. */
  unpriced?: number;
}

/** Where the user was. */
export interface Place {
  page?: string;
  tab?: string;
  subtab?: string;
  scope?: Record<string, string>;
}

/** A run, as the list shows it. */
export interface Summary {
  id: string;
  threadId: string;
  /** The thread's title as it is now. */
  threadTitle?: string;
  /** The user message that it answers, perhaps together with other runs. */
  questionId?: string;
  agent: string;
  /** Whose run it is. */
  subject: string;
  model: string;
  /** The reasoning effort that the user has chosen. */
  effort?: string;
  place: Place;
  question: string;
  status: "live" | "done" | "failed" | "cancelled" | "interrupted";
  error?: string;
  beganAt: string;
  endedAt?: string;
  steps: number;
  calls: number;
  /** The tools that it called, each once. */
  toolNames: string[];
  /** The page's tools whose results it carries. */
  brings?: string[];
  usage: Usage;
  /** Only what the store has is known: no prompt, no times of calls, no decisions. */
  stored?: boolean;
}

/** A part of the prompt. */
export interface Section {
  name: string;
  text: string;
  tokens: number;
  cache?: boolean;
}

/** One model call. */
export interface Step {
  /** `summary` or `title`; missing for a step of the answer. */
  purpose?: string;
  /** The model that answered. */
  model: string;
  /** The reasoning effort that it was asked for. */
  effort?: string;
  attempt: number;
  beganAt: string;
  firstMs: number;
  ms: number;
  messages: { role: string; text: string; tokens: number }[];
  unchanged: number;
  text?: string;
  reasoning?: string;
  usage: Usage;
  finish?: string;
  error?: string;
}

/** One tool call. */
export interface Call {
  id: string;
  name: string;
  args: string;
  decision: string;
  why?: string;
  /** The rule of the permissions that decided. */
  rule?: string;
  step: number;
  beganAt: string;
  endedAt?: string;
  result?: string;
  isError?: boolean;
}

/** Everything that is known of a run. */
export interface Detail extends Summary {
  /** Whether texts are left out that the reader may not see. */
  redacted?: boolean;
  /** Tools that the user may not use. */
  withheld: { name: string; rule: string; reason?: string }[];
  /** What the model's server does that no error says. */
  warnings?: string[];
  sections: Section[];
  tools: { name: string; description: string; parameters?: unknown; tokens: number; frontend: boolean }[];
  context: { description: string; label?: string; kind?: string; source?: string; tokens: number; value: string }[];
  modelCalls: Step[];
  toolCalls: Call[];
}

/** What holds at a place. */
export interface Resolution {
  tools: { name: string; description: string; effect: string; approval: string; tokens: number }[];
  payloads: { name: string; description: string; source: string; marker?: string }[];
  actions: { name: string; description: string; handler: string }[];
  suggestions: { label: string; value: string }[];
  sections: Section[];
  tokens: number;
}

/** An entry of the audit log. */
export interface AuditEntry {
  time: string;
  kind: string;
  subject?: string;
  tool?: string;
  decision?: string;
  outcome?: string;
  [field: string]: unknown;
}

/** A row of the audit log. An entry that is no JSON any more is a string. */
export interface AuditRecord {
  seq: number;
  hash: string;
  entry: AuditEntry | string;
}

/** Which entries to show. */
export type AuditQuery = Partial<Record<"from" | "to" | "subject" | "tool" | "kind" | "thread" | "cursor", string>>;

/** Whether the chain holds. */
export interface AuditReport {
  /** The server sees no anchors, so it never says more than that no row was changed. */
  state: "unanchored" | "changed";
  rows: number;
  sealed: boolean;
  problems: { day?: string; seq: number; what: string }[];
}

/** One event of a run's stream. */
export interface RunEvent {
  type: string;
  [field: string]: unknown;
}

/** The server has no such thing. */
export class NotFound extends Error {}

async function asked(path: string, init?: RequestInit): Promise<Response> {
  const answer = await send(path, { cache: "no-store", ...init });
  if (answer.ok) return answer;
  const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
  const message = error?.message ?? `The server answered ${answer.status}.`;
  throw answer.status === 404 ? new NotFound(message) : new Error(message);
}

const ask = async <T>(path: string, init?: RequestInit) => (await (await asked(path, init)).json()) as T;

const runs = "/v1/inspector/runs";

/** The newest runs. */
export const listRuns = () => ask<{ runs: Summary[] }>(runs).then(({ runs }) => runs);
/** The runs that the store has, such as those from before a restart. */
export const listStored = () => ask<{ runs: Summary[] }>(`${runs}?stored=true`).then((answer) => answer.runs);
/** One run. */
export const getRun = (id: string) => ask<Detail>(`${runs}/${encodeURIComponent(id)}`);
/** The address of a run's report. */
export const reportUrl = (id: string) => `${runs}/${encodeURIComponent(id)}/report`;
/** A run's report, for whoever has signed in: a link carries no token. */
export const getReport = (id: string) => asked(reportUrl(id)).then((answer) => answer.blob());

/** What a user thinks of an answer. `reasons` are there if the server asks for them. */
export interface Feedback {
  rating: number;
  comment?: string;
  reason?: string;
  reasons?: string[];
}

/** A message of a thread, with the run that made it. */
export interface ThreadMessage {
  runId?: string;
  message: { id: string; role: string };
  feedback?: Feedback;
}

/** The newest messages of a thread. */
export const listMessages = (threadId: string) =>
  ask<{ messages: ThreadMessage[] }>(`/v1/threads/${encodeURIComponent(threadId)}/messages?limit=100`).then(
    ({ messages }) => messages,
  );

/** A page of the audit log, newest first. */
export function listAudit(query: AuditQuery): Promise<{ records: AuditRecord[]; next?: string }> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return ask(`/v1/audit?${new URLSearchParams([...given, ["limit", "100"]]).toString()}`);
}
/** Checks the chain. */
export const verifyAudit = () =>
  ask<AuditReport>("/v1/audit/verify").then((r) => ({ ...r, problems: r.problems ?? [] }));

/** What holds for an agent at a place. */
export const resolve = (agent: string, place: Place) =>
  ask<Resolution>("/v1/resolve", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ agent, ...place }),
  });

/** The events of a run so far. A run that goes on is not waited for. */
export async function getEvents(id: string, live: boolean): Promise<RunEvent[]> {
  const stop = new AbortController();
  const answer = await send(`/v1/runs/${encodeURIComponent(id)}/events?protocolVersion=1.0`, { signal: stop.signal });
  if (!answer.ok || !answer.body) throw new Error("The events of this run are not kept any more.");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (live) timer = setTimeout(() => stop.abort(), 400);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return eventsIn(text);
}

/** The events in the whole frames of a stream. The text after the last empty line is incomplete. */
export function eventsIn(stream: string): RunEvent[] {
  return stream
    .split("\n\n")
    .slice(0, -1)
    .flatMap((frame) => {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      return data ? [JSON.parse(data) as RunEvent] : [];
    });
}
