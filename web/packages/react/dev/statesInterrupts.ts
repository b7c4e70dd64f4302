import type { Interrupt } from "@ag-ui/core";
import type { Question, ThreadSnapshot, ToolCallState } from "@pageside/core";
import { questionOf } from "../../core/src/thread/question.js";
import { assistant, user } from "./fakeClient.js";

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const approvalSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, args: { type: "object" }, reason: { type: "string" } },
  required: ["approved"],
};

/** What a question is made of. */
type Change = Partial<Interrupt> & Pick<Question, "answer">;

function asked(interrupt: Interrupt, { answer, ...change }: Change): Question {
  return { ...questionOf({ ...interrupt, ...change }, undefined), ...(answer && { answer }) };
}

/** A call that needs approval, as the server tells of it. */
export function approval(id: string, tool: string, args: object, change: Change = {}): Question {
  const interrupt: Interrupt = {
    id,
    reason: "tool_call",
    toolCallId: tool,
    message: `The assistant wants to run ${tool}.`,
    responseSchema: approvalSchema,
    expiresAt: minutesFromNow(60 * 24 * 7),
    metadata: { pageside: { tool, args } },
  };
  return asked(interrupt, change);
}

/** A question of `ask_user`. */
export function question(id: string, message: string, answer: object, change: Change = {}): Question {
  const interrupt: Interrupt = {
    id,
    reason: "input_required",
    toolCallId: id,
    message,
    responseSchema: { type: "object", properties: { answer }, required: ["answer"] },
    metadata: { pageside: { tool: "ask_user", args: { question: message } } },
  };
  return asked(interrupt, change);
}

/** What the server says of a call, beside its arguments. */
const about = (tool: string, args: object, more: object) => ({ metadata: { pageside: { tool, args, ...more } } });

/** The server offers to allow the same call for a day. */
export const offered = { effect: "write", allowance: { scope: "thread", maxAge: 86_400 } };

/** An approval that can be answered with always. */
export const allowableApproval = (id: string, tool: string, args: object) =>
  approval(id, tool, args, about(tool, args, offered));

const wish = user("Clean up the old indexes and tell the team");
const call = (name: string, args: object): ToolCallState => ({
  id: name,
  name,
  frontend: false,
  status: "awaiting-approval",
  args,
  argsText: JSON.stringify(args),
  startedAt: 0,
});
const deletion = { index: "logs-2015", force: true, older_than_days: 90 };
const deleted = "Deletes the index “logs-2015” with its 1.2 million rows.";
const alert = { name: "5xx above one in a hundred", every: "5m", notify: "ops@example.com" };
const mail = {
  to: ["ops@example.com", "lead@example.com"],
  subject: "Old indexes are gone",
  body: "The index logs-2015 was deleted. It held 1.2 million rows, none of them newer than ninety days.",
};
const hidden = {
  to: `ann@example.com${"\n".repeat(300)}`,
  subject: "The report\u200b you asked for\u{e0041}\u{e0042}",
  attachment: "report-\u202efdp.exe",
  link: `https://files.example.com/${"a1b2c3d4".repeat(12)}`,
  body: `Dear Ann,${" ".repeat(200)}forward\u00a0this.\u2066`,
};
const long = {
  to: ["all@example.com"],
  subject: "Old indexes",
  body: Array.from({ length: 60 }, (_, line) => `Line ${line + 1} of what will be sent.`).join("\n"),
};
const choice = { type: "string", enum: ["Delete it", "Move it to cold storage", "Leave it alone"] };

/** A question of the page's own tool, before its call runs. */
const asking = (name: string, args: object, message?: string): Question => ({
  ...{ id: `q-${name}`, kind: "approval", from: "tool", toolCallId: name, name, args, message },
});
const panel = { panel: "top-pages" };
const view = { name: "404s by page", shared: true };

export const interruptStates: Record<string, Partial<ThreadSnapshot>> = {
  confirmation: {
    messages: [wish, assistant("I would do two things.", "close_panel", "save_view")],
    toolCalls: {
      close_panel: { ...call("close_panel", panel), frontend: true },
      save_view: { ...call("save_view", view), frontend: true },
    },
    questions: [asking("close_panel", panel, "Close the panel “Top pages”?"), asking("save_view", view)],
    status: "executing",
  },
  approval: {
    messages: [wish, assistant("I would do two things.", "delete_index", "send_mail")],
    toolCalls: { delete_index: call("delete_index", deletion), send_mail: call("send_mail", mail) },
    questions: [
      approval("i1", "delete_index", deletion, { expiresAt: minutesFromNow(14) }),
      approval("i2", "send_mail", mail),
    ],
  },
  "approval-always": {
    messages: [user("Tell me when the errors rise"), assistant("I would create an alert.", "create_alert")],
    toolCalls: { create_alert: call("create_alert", alert) },
    questions: [allowableApproval("i1", "create_alert", alert)],
  },
  "approval-destructive": {
    messages: [wish, assistant("I would delete it.", "delete_index")],
    toolCalls: { delete_index: call("delete_index", deletion) },
    questions: [
      approval("i1", "delete_index", deletion, {
        message: deleted,
        ...about("delete_index", deletion, { effect: "destructive", summary: deleted }),
      }),
    ],
  },
  /** What somebody put into the arguments so that it would not be seen. */
  "approval-hostile": {
    messages: [user("Send Ann the report"), assistant("I would send it.", "send_mail")],
    toolCalls: { send_mail: call("send_mail", hidden) },
    questions: [approval("i1", "send_mail", hidden, { expiresAt: minutesFromNow(14) })],
  },
  "approval-long": {
    messages: [user("Tell everybody"), assistant("I would send it.", "send_mail")],
    toolCalls: { send_mail: call("send_mail", long) },
    questions: [approval("i1", "send_mail", long, { expiresAt: minutesFromNow(14) })],
  },
  "approval-answered": {
    messages: [wish, assistant("I would do two things.", "delete_index", "send_mail")],
    toolCalls: { delete_index: call("delete_index", deletion), send_mail: call("send_mail", mail) },
    questions: [
      approval("i1", "delete_index", deletion, { answer: { status: "resolved", payload: { approved: true } } }),
      approval("i2", "send_mail", mail, { expiresAt: minutesFromNow(-5) }),
    ],
  },
  /** Before the server carries out an action that an answer has suggested. */
  "approval-server": {
    messages: [wish, assistant("One of them is large.")],
    questions: [
      { id: "q-export", kind: "approval", from: "server", name: "export", label: "Export it", args: { index: "logs" } },
    ],
  },
  questions: {
    messages: [wish, assistant("Some questions first.")],
    questions: [
      question("q1", "What should happen to logs-2015?", choice),
      question("q2", "Whom should I tell?", { type: "array", items: { type: "string", enum: ["Ops", "Everyone"] } }),
      question("q3", "Is a backup needed?", { type: "boolean" }, { reason: "confirmation" }),
      question("q4", "What should the message say?", { type: "string", minLength: 1 }),
    ],
  },
};
