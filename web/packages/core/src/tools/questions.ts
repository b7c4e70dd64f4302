/** What waits for a person, and the part of it that the page itself asks. */
import type { Interrupt } from "@ag-ui/core";
import { newId } from "../base/values.js";
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
  /** What it would do, in words of the tool. */
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

interface Open {
  readonly question: Question;
  readonly allowable: Allowable | undefined;
  readonly answer: (answer: Approval) => void;
}

/** The questions of the page: of its tools, its actions, and the server's actions it has begun. */
export class Questions {
  /** How many show the questions to the user. */
  viewers = 0;
  /** What the user has allowed. Made when something is asked first. */
  allowances: Allowances | undefined;
  /** Called after a change; with `true` if it should show at once. */
  onChange: (now: boolean) => void = () => {};
  #open: readonly Open[] = [];
  #all: readonly Question[] = [];

  /** Asks. Rejects with the signal's reason when it is aborted: the question is withdrawn then. */
  ask(asked: Asked, signal: AbortSignal, allowable?: Allowable): Promise<Approval> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const question: Question = { ...asked, id: newId(), kind: "approval" };
      const withdraw = () => {
        this.#close(question);
        reject(signal.reason as Error);
      };
      const answer = (given: Approval) => {
        signal.removeEventListener("abort", withdraw);
        this.#close(question);
        resolve(given);
      };
      signal.addEventListener("abort", withdraw);
      this.#change([...this.#open, { question, allowable, answer }], question);
    });
  }

  /** Answers one; undefined denies. Reports whether one with that id waits. */
  answer(id: string, given: Answer | undefined): boolean {
    const open = this.#open.find(({ question }) => question.id === id);
    open?.answer(approvalOf(given));
    return open !== undefined;
  }

  /** Those that ask about what may run unasked now. */
  approve(isAllowed: (allowable: Allowable) => boolean): void {
    for (const { allowable, answer } of this.#open) if (allowable && isAllowed(allowable)) answer({ approved: true });
  }

  /** These questions of a run, and behind them those of the page, oldest first. */
  after(asked: readonly Question[]): readonly Question[] {
    if (this.#open.length === 0) return asked;
    const all = [...asked, ...this.#open.map(({ question }) => question)];
    const isSame = all.length === this.#all.length && all.every((each, index) => each === this.#all[index]);
    return isSame ? this.#all : (this.#all = all);
  }

  #close(question: Question): void {
    this.#change(
      this.#open.filter((each) => each.question !== question),
      question,
    );
  }

  /** What becomes of a call shows together with its question. */
  #change(open: readonly Open[], { from }: Question): void {
    this.#open = open;
    this.onChange(from !== "tool");
  }
}

/** Anything that is no plain yes is a no. */
function approvalOf(given: Answer | undefined): Approval {
  const { approved, ...more } = (typeof given === "object" && given !== null ? given : {}) as Partial<Approval>;
  return { ...more, approved: approved === true };
}

/** The error where nothing shows the question. */
export const unseen = ({ name }: Asked) => new Error(`Pageside: nothing here shows what "${name}" asks.`);

/** The error where the user says no. */
export const denied = (name: string) =>
  Object.assign(new Error(`The user denied "${name}". Nothing was done.`), { name: "denied" });
