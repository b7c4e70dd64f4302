import type { Question } from "@pageside/core";
import { act, cleanup, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { assistant, user } from "../../../dev/fakeClient.js";
import { allowableApproval, approval, interruptStates, question } from "../../../dev/statesInterrupts.js";
import { button, missing, showTray } from "../../../test/harness.js";

async function show(...questions: Question[]) {
  const thread = { messages: [user("q"), assistant("a")], questions };
  const { asked, ...shown } = showTray(thread, { toolLabels: { send_mail: "Mail senden" } });
  await screen.findByRole("group", { name: "Waiting for you" });
  return { ...shown, answers: () => asked("answer") };
}

const card = (name: string) => within(screen.getByRole("group", { name }));
const args = { index: "logs", days: 90, force: true, filter: { a: [1] } };

it("shows what will run and sends the decision", async () => {
  const { keys, answers } = await show(approval("i1", "delete_index", args));
  const deletion = card("Run “Delete index”?");
  expect(deletion.getByRole("group", { name: "Arguments" }).textContent).toBe("IndexlogsDays90ForceYesFilterA" + "1");
  await keys.click(deletion.getByRole("button", { name: "Approve" }));
  await keys.click(deletion.getByRole("button", { name: "Deny" }));
  expect(answers()).toEqual([
    ["i1", { approved: true }],
    ["i1", { approved: false }],
  ]);
  expect(document.activeElement).toBe(screen.getByRole("log"));
});

it("names the agent that asks a question of its own", async () => {
  const schema = { type: "object", properties: { password: { type: "string" } } };
  await show(
    approval(
      "i1",
      "wipe",
      {},
      {
        reason: "agent:tool_call",
        message: "Enter your password",
        responseSchema: schema,
        metadata: { pageside: { agent: "far" } },
      },
    ),
  );
  const asked = card("Enter your password");
  expect(asked.getByText("The agent “far” asks:")).toBeTruthy();
  expect(asked.queryByRole("button", { name: "Approve" })).toBeNull();
});

it("says what a call would do where its tool does", async () => {
  const summary = "Deletes the index “logs”, 1.2 million rows of 2015.";
  await show(
    approval("i1", "delete_index", args, {
      message: summary,
      metadata: { pageside: { tool: "delete_index", args, summary } },
    }),
    approval("i2", "send_mail", { to: "a" }),
  );
  const group = screen.getByRole("group", { name: "Run “Delete index”?" });
  const described = document.getElementById(group.getAttribute("aria-describedby") ?? "");
  expect(described?.textContent).toBe(summary);
  const other = screen.getByRole("group", { name: "Run “Mail senden”?" });
  expect(other.getAttribute("aria-describedby")).toBeNull();
  expect(other.textContent).not.toContain("wants to run");
});

it("runs with changed arguments, of the types they had", async () => {
  const { keys, answers } = await show(approval("i1", "delete_index", args));
  await keys.click(button("Edit"));
  const days = screen.getByRole("textbox", { name: "Days" });
  await keys.clear(days);
  await keys.type(days, "x");
  await keys.click(button("Approve"));
  expect(days.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText("This is not a valid number.")).toBeTruthy();
  await keys.clear(days);
  await keys.type(days, "30");
  await keys.click(screen.getByRole("checkbox", { name: "Force" }));
  await keys.click(button("Approve"));
  expect(answers()).toEqual([
    ["i1", { approved: true, args: { index: "logs", days: 30, force: false, filter: { a: [1] } } }],
  ]);
});

it("has keys for both while the focus is on its buttons, not in its fields", async () => {
  const { keys, answers } = await show(approval("i1", "delete_index", args));
  await keys.click(button("Edit"));
  await keys.type(screen.getByRole("textbox", { name: "Index" }), "ad");
  expect(answers()).toEqual([]);
  await keys.click(button("Cancel"));
  await keys.keyboard("d");
  expect(answers()).toEqual([["i1", { approved: false }]]);
});

it("keeps several apart, and lets an answer be changed until all are given", async () => {
  const mail = approval("i2", "send_mail", { to: "a" });
  const { client, keys, answers } = await show(approval("i1", "delete_index", args), mail);
  await keys.click(card("Run “Delete index”?").getByRole("button", { name: "Approve" }));
  const answered = approval("i1", "delete_index", args, {
    answer: { status: "resolved", payload: { approved: true } },
  });
  act(() => client.show({ questions: [answered, mail] }));
  expect(card("Run “Delete index”?").getByText("Approved")).toBeTruthy();
  expect(card("Run “Mail senden”?").getByRole("button", { name: "Approve" })).toBeTruthy();
  expect(document.activeElement).toBe(button("Change"));
  await keys.keyboard("{Enter}");
  await keys.click(card("Run “Delete index”?").getByRole("button", { name: "Deny" }));
  expect(answers().at(-1)).toEqual(["i1", { approved: false }]);
});

it("can't be approved once it has expired", async () => {
  const { keys, answers } = await show(approval("i1", "delete_index", args, { expiresAt: "2020-01-01T00:00:00Z" }));
  expect(screen.getByText("Expired. It was not carried out.")).toBeTruthy();
  missing("Approve");
  await keys.click(button("Dismiss"));
  expect(answers()).toEqual([["i1", undefined]]);
});

it("says when it will expire, once that is near", async () => {
  const until = (minutes: number) => ({ expiresAt: new Date(Date.now() + minutes * 60_000).toISOString() });
  await show(approval("i1", "delete_index", args, until(10)));
  expect(screen.getByText("Expires in 10 min")).toBeTruthy();
  cleanup();
  await show(approval("i1", "delete_index", args, until(24 * 60)));
  expect(screen.queryByText(/Expires/)).toBeNull();
});

it("asks for one or some of several, yes or no, and a text", async () => {
  const { keys, answers } = await show(
    question("q0", "Which one?", { type: "string", enum: ["Left", "Right"] }),
    question("q1", "Which?", { type: "array", items: { type: "string", enum: ["One", "Two", "Three"] } }),
    question("q2", "Sure?", { type: "boolean" }),
    question("q3", "Name?", { type: "string" }),
  );
  const answerTo = (name: string) => keys.click(card(name).getByRole("button", { name: "Answer" }));
  await answerTo("Which one?");
  expect(screen.getByText("This is required.")).toBeTruthy();
  await keys.click(screen.getByRole("radio", { name: "Right" }));
  await answerTo("Which one?");
  await keys.click(screen.getByRole("checkbox", { name: "Three" }));
  await keys.click(screen.getByRole("checkbox", { name: "One" }));
  await answerTo("Which?");
  await keys.click(card("Sure?").getByRole("button", { name: "No" }));
  await keys.click(card("Sure?").getByRole("button", { name: "Yes" }));
  await keys.type(card("Name?").getByRole("textbox", { name: "Your answer" }), "Ann");
  await answerTo("Name?");
  await keys.click(card("Name?").getByRole("button", { name: "Skip" }));
  expect(answers()).toEqual([
    ["q0", { answer: "Right" }],
    ["q1", { answer: ["One", "Three"] }],
    ["q2", { answer: false }],
    ["q2", { answer: true }],
    ["q3", { answer: "Ann" }],
    ["q3", undefined],
  ]);
});

it("is denied with a reason, by button or by Shift+D", async () => {
  const { keys, answers } = await show(approval("i1", "delete_index", args));
  await keys.click(button("Deny with a reason"));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Why not? (optional)" }));
  await keys.keyboard("Not on a Friday{Enter}");
  expect(answers()).toEqual([["i1", { approved: false, reason: "Not on a Friday" }]]);
  button("Approve").focus();
  await keys.keyboard("D");
  expect(screen.queryByRole("textbox", { name: "Why not? (optional)" })).toBeNull();
});

it("goes back from a reason with Escape, which ends nothing else", async () => {
  const { client, keys } = await show(approval("i1", "delete_index", args));
  act(() => client.show({ status: "executing" }));
  await keys.click(button("Deny with a reason"));
  await keys.keyboard("No{Escape}");
  expect(screen.queryByRole("textbox", { name: "Why not? (optional)" })).toBeNull();
  expect(document.activeElement).toBe(button("Deny with a reason"));
  expect(client.calls).toEqual([]);
  expect(document.querySelector(".ps-root[data-open]")).toBeTruthy();
});

const ALWAYS = "Always in this conversation";
const openAlways = (keys: Awaited<ReturnType<typeof show>>["keys"]) => keys.click(button("Allow always"));

it("says exactly what always allows, and leaves the decision to the server", async () => {
  const { client, keys, answers } = await show(allowableApproval("i1", "create_alert", args));
  missing(ALWAYS);
  await openAlways(keys);
  const hint = document.getElementById(button(ALWAYS).getAttribute("aria-describedby") ?? "");
  expect(hint?.textContent).toBe("Only for exactly this: Create alert, with these details, for 24 hours.");
  expect(screen.queryByRole("combobox")).toBeNull();
  await keys.click(button(ALWAYS));
  act(() => client.show({ questions: [allowableApproval("i2", "create_alert", args)] }));
  act(() => client.show({ questions: [allowableApproval("i3", "create_alert", { ...args, days: 1 })] }));
  expect(answers()).toEqual([["i1", { approved: true, always: true }]]);
});

it("allows always what was changed", async () => {
  const { keys, answers } = await show(allowableApproval("i1", "create_alert", { name: "a" }));
  await keys.click(button("Edit"));
  await keys.type(screen.getByRole("textbox", { name: "Name" }), "b");
  await openAlways(keys);
  await keys.click(button(ALWAYS));
  expect(answers()).toEqual([["i1", { approved: true, always: true, args: { name: "ab" } }]]);
});

it("says of an answer that waits for others that it is for always", async () => {
  const answered = allowableApproval("i1", "create_alert", args);
  answered.answer = { status: "resolved", payload: { approved: true, always: true } };
  await show(answered, approval("i2", "send_mail", { to: "a" }));
  expect(card("Run “Create alert”?").getByText("Approved, always in this conversation")).toBeTruthy();
});

it.each([
  ["nothing", {}],
  ["a scope that it does not know", { allowance: { scope: "tenant", maxAge: 60 } }],
  ["no end", { allowance: { scope: "thread" } }],
])("does not offer always where the server says %s of it", async (_, more) => {
  await show(approval("i1", "create_alert", args, { metadata: { pageside: { tool: "create_alert", args, ...more } } }));
  missing(/always/i);
});

it("asks in red, and in words, before something is destroyed, and puts the focus on the way out", async () => {
  const [destructive] = interruptStates["approval-destructive"]!.questions!;
  const { client, keys } = await show(destructive!, approval("i2", "send_mail", { to: "a" }));
  const deletion = card("Run “Delete index”?");
  expect(deletion.getByText("You may not be able to undo this.")).toBeTruthy();
  expect(deletion.getByRole("button", { name: "Approve" }).className).toBe("ps-button ps-danger");
  const mail = card("Run “Mail senden”?");
  expect(mail.queryByText("You may not be able to undo this.")).toBeNull();
  expect(mail.getByRole("button", { name: "Approve" }).className).toBe("ps-button ps-primary");
  await keys.click(deletion.getByRole("button", { name: "Deny" }));
  const denied = { ...destructive!, answer: { status: "resolved" as const, payload: { approved: false } } };
  act(() => client.show({ questions: [denied, approval("i2", "send_mail", { to: "a" })] }));
  expect(card("Run “Delete index”?").getByText("Denied")).toBeTruthy();
  await keys.click(button("Change"));
  expect(document.activeElement).toBe(card("Run “Delete index”?").getByRole("button", { name: "Deny" }));
});

it("asks for the page's own tools in the same way, each for itself", async () => {
  const { keys, asked } = showTray(interruptStates.confirmation);
  await screen.findByRole("group", { name: "Close the panel “Top pages”?" });
  await keys.click(card("Run “Save view”?").getByRole("button", { name: "Edit" }));
  await keys.click(screen.getByRole("checkbox", { name: "Shared" }));
  await keys.click(card("Run “Save view”?").getByRole("button", { name: "Approve" }));
  card("Close the panel “Top pages”?").getByRole("button", { name: "Approve" }).focus();
  await keys.keyboard("d");
  expect(asked("answer")).toEqual([
    ["q-save_view", { approved: true, args: { name: "404s by page", shared: false } }],
    ["q-close_panel", { approved: false }],
  ]);
});

it("offers the terms that the server does, and no others", async () => {
  const offer = { scope: "thread", maxAge: 86400, userMaxAges: [86400, 604800], openArgs: ["title"] };
  const { keys, answers } = await show(offered({ to: "a", title: "b" }, offer));
  await openAlways(keys);
  const choice = screen.getByRole("combobox", { name: "Always" });
  const terms = within(choice).getAllByRole("option");
  expect(terms.map(({ textContent }) => textContent)).toEqual([
    "In this conversation, 24 hours",
    "In all conversations, 24 hours",
    "In all conversations, 7 days",
  ]);
  expect(screen.getAllByRole("checkbox")).toHaveLength(1);
  const anyTitle = screen.getByRole<HTMLInputElement>("checkbox", { name: "Any value of “Title”" });
  await keys.click(anyTitle);
  await keys.selectOptions(choice, "In all conversations, 7 days");
  expect(anyTitle.checked).toBe(true);
  await keys.dblClick(anyTitle);
  await keys.click(button("Always"));
  const allowance = { scope: "user", maxAge: 604800, openArgs: ["title"] };
  expect(answers()).toEqual([["i1", { approved: true, always: true, allowance }]]);
});

const offered = (given: object, allowance: object) =>
  approval("i1", "create_alert", given, { metadata: { pageside: { tool: "create_alert", args: given, allowance } } });

it("allows a tool of the page with any details", async () => {
  const { keys, answers } = await show(offered(args, { scope: "thread", maxAge: 86400, openArgs: ["*"] }));
  await openAlways(keys);
  await keys.click(screen.getByRole("checkbox", { name: "With any details" }));
  await keys.click(button("Always"));
  const allowance = { scope: "thread", maxAge: 86400, openArgs: ["*"] };
  expect(answers()).toEqual([["i1", { approved: true, always: true, allowance }]]);
});

it("allows the plain call unless terms are chosen", async () => {
  const { keys, answers } = await show(offered(args, { scope: "thread", maxAge: 86400, userMaxAges: [604800] }));
  await openAlways(keys);
  await keys.click(button(ALWAYS));
  expect(answers()).toEqual([["i1", { approved: true, always: true }]]);
});
