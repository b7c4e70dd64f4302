// Payloads: what the model or a tool shows as a card is an activity message of the thread.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { until } from "../conversation.mjs";

const garden = {
  title: "Spring – früh 🌱",
  steps: [
    { name: 'Dig the beds "deep"', days: 2.5 },
    { name: "Sow", days: 1 },
  ],
};

/** What the model wrote for a card never shows as text. */
function nothingRaw(c) {
  const shown = c.messages.filter((m) => m.role === "assistant").map((m) => m.content ?? "");
  for (const text of shown) assert.doesNotMatch(text, /PLAN|SUGGESTED|[{}]|```/, text);
  const streamed = c.events.filter((e) => e.type === "TEXT_MESSAGE_CONTENT").map((e) => e.delta);
  assert.doesNotMatch(streamed.join(""), /PLAN|SUGGESTED|[{}]|```/);
}

export const cards = {
  "a card stands between the texts around it": async (start) => {
    const c = await start().say("plan my garden");
    assert.equal(c.roles(), "user assistant activity assistant");
    assert.equal(c.messages[1].content.trim(), "Here is a **plan**:");
    const [card] = c.cards();
    assert.equal(card.activityType, "plan");
    assert.deepEqual(card.content, garden);
    assert.deepEqual(card.metadata, { pageside: { source: "llm", status: "open" } });
    assert.equal(c.last().content, "Shall I go on?");
    nothingRaw(c);
  },

  "a card grows while it is written": async (start) => {
    const c = start();
    const seen = [];
    c.agent.subscribe({
      onEvent: ({ event }) => {
        if (event.type.startsWith("ACTIVITY_")) seen.push(event.type);
      },
      onMessagesChanged: ({ messages }) => {
        const card = messages.find((m) => m.role === "activity");
        if (card) seen.push(JSON.stringify(card.content));
      },
    });
    await c.say("plan my garden");
    assert.ok(seen.includes("ACTIVITY_DELTA"), seen.join("\n"));
    const sizes = seen.filter((s) => s.startsWith("{")).map((s) => s.length);
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
      "it never shrinks",
    );
    assert.ok(new Set(sizes).size > 2, seen.join("\n"));
    assert.deepEqual(c.cards()[0].content, garden, "and it ends whole");
  },

  "two cards keep their order, with fences and emphasis": async (start) => {
    const c = await start().say("plan the week and the month");
    assert.equal(c.roles(), "user assistant activity assistant activity");
    assert.deepEqual(
      c.cards().map((m) => m.content.title),
      ["Week", "Month"],
    );
    assert.match(c.messages[3].content, /And the month:/);
    nothingRaw(c);
  },

  "a card that cannot be read is asked for once more, unseen": async (start) => {
    const c = await start().say("plan badly, then well");
    assert.equal(c.roles(), "user assistant activity assistant");
    assert.deepEqual(c.cards()[0].content, { title: "Late", steps: [] });
    assert.equal(c.cards()[0].metadata.pageside.status, "open");
    assert.equal(c.last().content, "Good?");
    nothingRaw(c);
  },

  "a card that stays broken says so": async (start) => {
    const c = await start().say("plan badly");
    const [card] = c.cards();
    assert.equal(card.activityType, "broken_plan");
    assert.equal(card.content.error.code, "invalid");
    assert.equal(card.metadata.pageside.status, "failed");
    nothingRaw(c);
    await c.goesOn();
  },

  "a tool's card stands behind its result": async (start) => {
    const c = await start().say("chart of 3,1,2");
    assert.equal(c.roles(), "user assistant tool activity assistant");
    const [card] = c.cards();
    assert.equal(card.activityType, "chart");
    assert.deepEqual(card.content, { title: "Chart", values: [3, 1, 2] });
    assert.deepEqual(card.metadata.pageside, { source: "tool", toolCallId: c.call("draw_chart").id, status: "open" });
    assert.equal(c.last().content, "Drawn with 3 values.");
  },

  "a model that writes cards with tools shows no calls": async (start) => {
    const c = await start({ agent: "emitting" }).say("plan with a tool");
    assert.equal(c.roles(), "user assistant activity");
    assert.ok(!c.types().some((t) => t.startsWith("TOOL_CALL")));
    assert.deepEqual(c.cards()[0].content, { title: "Tool", steps: [{ name: "One", days: 1 }] });
    await c.goesOn();
  },

  "a card of a page is open there, and only shown elsewhere": async (start) => {
    const there = await start({ place: { page: "reports" } }).say("memo");
    assert.deepEqual(there.cards()[0].content, { text: "only a card" });
    const elsewhere = await start().say("memo");
    assert.deepEqual(elsewhere.cards()[0].content, { text: "only a card" });
    assert.equal(there.cards()[0].metadata.pageside.readOnly, undefined);
    assert.equal(elsewhere.cards()[0].metadata.pageside.readOnly, true, "its page is not there to take it");
    nothingRaw(elsewhere);
  },

  "an answer ends with suggestions": async (start) => {
    const c = await start({ place: { page: "reports" } }).say("what now?");
    assert.equal(c.last().content.trim(), "You could go on.");
    assert.deepEqual(c.last().metadata.pageside, {
      suggestedValues: [
        { label: "Show more", value: "Show me more" },
        { label: "Thanks", value: "Thanks" },
      ],
      suggestedActions: [{ label: "Open it", action: "open_report", handler: "client", args: { id: 7 } }],
    });
    nothingRaw(c);
  },

  "a page suggests where the model does not": async (start) => {
    const c = await start({ place: { page: "reports" } }).say("say hello");
    assert.deepEqual(c.last().metadata.pageside, {
      suggestedValues: [{ label: "Show all", value: "Show me all reports" }],
      static: true,
    });
    const card = await start({ place: { page: "reports" } }).say("memo");
    assert.equal(card.last().role, "activity");
    assert.equal(card.last().metadata.pageside.suggestedValues.length, 1, "on the card, where there is no text");
    assert.equal(card.last().metadata.pageside.status, "open");
  },

  "what the user decides about a card stays with it": async (start, { put }) => {
    const c = await start().say("plan my garden");
    const { id } = c.cards()[0];
    for (const status of ["accepted", "dismissed", "open"]) {
      await put(`/v1/threads/${c.threadId}/payloads/${id}`, { status });
      const again = await start({ threadId: c.threadId }).run();
      assert.equal(again.cards()[0].metadata.pageside.status, status);
      assert.deepEqual(again.cards()[0].content, garden);
    }
  },

  "the model is told what the user decided, once": async (start, { put, provider }) => {
    const c = await start({ agent: "provided" }).say("a plan and more");
    const [card] = c.cards();
    assert.equal(card.content.title, "Spring");
    await put(`/v1/threads/${c.threadId}/payloads/${card.id}`, { status: "accepted" });
    c.differs = "the client has not heard of the decision";
    await c.say("thanks");
    assert.equal(c.last().content, "Understood.");
    assert.match(provider.toldLast(), /^<page_event>The user accepted the card "plan"\.<\/page_event>\s+thanks$/);
    assert.match(provider.told(), /PLAN: \{"title":"Spring"/, "the model sees its card as it wrote it");
    await c.say("and now?");
    assert.equal(provider.told().split("The user accepted the card").length, 2, "it is told once");
  },

  "the model is told where the user is, when that changes": async (start, { provider }) => {
    const c = start({ agent: "provided", place: { page: "reports" } });
    await c.say("first");
    await c.say("second");
    await c.say("third", { forwardedProps: { pageside: { page: "reports", tab: "old", scope: { report: "7" } } } });
    const told = provider.told().match(/<page_event>.*<\/page_event>/g);
    assert.deepEqual(told, [
      '<page_event>The user is now at "reports".</page_event>',
      '<page_event>The user is now at "reports/old" (report "7").</page_event>',
    ]);
    assert.ok(!JSON.stringify(c.messages).includes("pageside_note"), "clients do not see it");
  },

  "a decision while the answer still comes is told to those who read it": async (start, { put, release }) => {
    const c = start();
    const done = c.say("plan slowly");
    await until("the card is whole", () => c.sent("TOOL_CALL_END"), done);
    const [{ id }] = c.cards();
    await put(`/v1/threads/${c.threadId}/payloads/${id}`, { status: "accepted" });
    await release(c.threadId);
    await done;
    const [card] = c.cards();
    assert.equal(card.metadata.pageside.status, "accepted");
    assert.equal(card.content.steps.length, 4);
    assert.match(c.last().content, /sixteen$/);
  },

  "a run that is cancelled in a card leaves one that says so": async (start, { post }) => {
    const c = start();
    const done = c.say("plan for ever", { runId: randomUUID() });
    await until("the card begins", () => c.sent("ACTIVITY_SNAPSHOT"), done);
    await post(`/v1/runs/${c.turns[0].runId}/cancel`);
    await done;
    const [card] = c.cards();
    assert.equal(card.metadata.pageside.status, "failed");
    assert.equal(card.content.error.code, "stopped");
    nothingRaw(c);
    await c.goesOn();
  },
};
