/** What waits for a person, and the part of it that the page itself asks. */
import type { Interrupt } from "@ag-ui/core";
import { newId, membersOf } from "../base/values.js";
import type { AllowanceOffer } from "../protocol/pageside.js";
import type { Json } from "../protocol/types.js";
import type { Allowable, Allowances } from "./allowances.js";

/** Something that waits for a person: whether a call may run, or what a run wants to know. */
export interface Question {
  /** What `answer` takes. */
  id: string;
  /** `"approval"`: may it run? `"input"`: an answer that fits `schema`. */
  kind: "approval" | "input";
  /**
   * Who asks: the thread's run, a call of a tool of this page, an action of the page, or the server
   * before it carries out an action for `runAction`.
   */
  from: "run" | "tool" | "action" | "server";
  /** The question in words, if there are any. */
  message?: string;
  /** The tool or action that would run. */
  name?: string;
  /** The action's name on screen. */
  label?: string;
  /** The call that waits. */
  toolCallId?: string;
  /** What it would run with. */
  args?: unknown;
  /** What it would do, in words of the tool, or else what the tool is for. */
  summary?: string;
  /** It cannot be undone. */
  destructive?: boolean;
  /** The agent elsewhere whose question it is. */
  agent?: string;
  /** JSON Schema of the answer. */
  schema?: unknown;
  /** When it is too late to answer, in ISO 8601. */
  expiresAt?: string;
  /**
   * What an answer with `always` allows from then on: what the server offers, or for `"session"`
   * the same call on this page until its tab is closed.
   */
  allowance?: AllowanceOffer | { scope: "session" };
  /** The run's question as AG-UI has it. */
  interrupt?: Interrupt;
  /** Set once it is answered here. The run gets the answers when each of its questions has one. */
  answer?: { status: "resolved" | "cancelled"; payload?: Answer };
}

/** The answer to an approval: `{approved: true}`, with `args` if they were edited. */
export interface Approval {
  /** Any other value than true denies. */
  approved: boolean;
  /** Replaces the arguments that were asked about. They are checked again. */
  args?: Json;
  /** The reason for a denial, which the model is told. */
  reason?: string;
  /** Approves the same call from now on, where the question offers an `allowance`. */
  always?: boolean;
  /** Of what the server offers: where and for how many seconds, with which arguments left open. */
  allowance?: { scope: "thread" | "user"; maxAge: number; openArgs?: string[] };
}

/** The answer to a question: an approval, or what its `schema` describes. */
export type Answer = Approval | Json;

/** A question of the page, before it is asked. */
export type Asked = Omit<Question, "id" | "kind" | "answer" | "interrupt"> & {
  from: Exclude<Question["from"], "run">;
};

/** A question of the page that waits. */
export interface Open {
  readonly question: Question;
  readonly allowable: Allowable | undefined;
  readonly answer: (answer: Answer | undefined) => void;
}

/** The questions of the page: of its tools, its actions, and the server's actions it has begun. */
export interface Questions {
  /** Those that wait, oldest first. `ask` changes it. */
  open: readonly Open[];
  /** How many show the questions to the user. */
  viewers: number;
  /** What the user has allowed. Made when something is asked first. */
  allowances?: Allowances;
  /** Called after a change; with `true` if it should show at once. */
  onChange?: (now: boolean) => void;
}

/** Asks. Rejects with the signal's reason when it is aborted: the question is withdrawn then. */
export function ask(questions: Questions, asked: Asked, signal: AbortSignal, allowable?: Allowable): Promise<Approval> {
  const question: Question = { ...asked, id: newId(), kind: "approval" };
  const change = (open: readonly Open[]) => {
    questions.open = open;
    questions.onChange?.(asked.from !== "tool"); // what becomes of a call shows together with its question
  };
  const close = () => change(questions.open.filter((each) => each.question !== question));
  return new Promise((resolve, reject) => {
    const answer = (given: Answer | undefined) => {
      close();
      resolve(approvalOf(given));
    };
    const withdraw = () => {
      close();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", withdraw, { once: true });
    change([...questions.open, { question, allowable, answer }]);
  });
}

/** Anything that is no plain yes is a no. */
function approvalOf(given: Answer | undefined): Approval {
  const { approved, ...more } = membersOf(given);
  return { ...more, approved: approved === true };
}
