import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPagesideClient } from "../src/index.js";
import { findMentions } from "../src/page/mentions.js";
import { scriptedAgent } from "@pageside/testing";

/** What the server's tests use too. */
const cases = JSON.parse(readFileSync(new URL("../../../../page/testdata/mentions.json", import.meta.url), "utf8")) as {
  text: string;
  labels: string[];
  want: string[];
}[];

describe("findMentions", () => {
  it.each(cases)("$text", ({ text, labels, want }) => {
    const found = findMentions(
      text,
      labels.map((label) => ({ id: label, label })),
    );
    expect(labels.filter((label) => found.some(({ id }) => id === label))).toEqual(want);
  });

  it("says where they stand", () => {
    const [found] = findMentions("see @Rows  of today!", [{ id: "a", label: "@rows of today" }, { id: "b" }]);
    expect(found).toEqual({ id: "a", from: 4, to: 19 });
  });

  it("takes no long time for a hostile text", () => {
    const text = "`a``b```c @a ~~~ \n```".repeat(2000) + " @ab".repeat(5000);
    expect(findMentions(text, [{ id: "a", label: "a".repeat(300) }])).toEqual([]);
  });
});

describe("a message that mentions", () => {
  const setup = () => {
    const agent = scriptedAgent([{ reply: () => "Done." }]);
    const client = createPagesideClient({ fetch: agent.fetch });
    client.registerContext({
      id: "rows",
      kind: "dynamic",
      description: "The selected rows",
      label: "@selected-rows",
      auto: false,
      value: [17],
    });
    client.registerContext({ id: "chart", kind: "dynamic", description: "The chart", label: "chart", value: 1 });
    const sent = () =>
      agent.inputs.map(({ context, forwardedProps, messages }) => ({
        text: (messages as { role: string; content: unknown }[]).filter(({ role }) => role === "user").at(-1)?.content,
        values: (context as { value: string }[]).map(({ value }) => value),
        kinds: (forwardedProps as { pageside: { context: { kind: string }[] } }).pageside.context.map(
          ({ kind }) => kind,
        ),
      }));
    return { client, sent };
  };

  it("takes the entry along, and keeps the word", async () => {
    const { client, sent } = setup();
    await client.send("Compare @selected-rows with these");
    expect(sent()).toEqual([
      { text: "Compare @selected-rows with these", values: ["[17]", "1"], kinds: ["mention", "dynamic"] },
    ]);
  });

  it("marks what is sent anyway", async () => {
    const { client, sent } = setup();
    await client.send("Explain @Chart.");
    expect(sent()[0]).toMatchObject({ values: ["1"], kinds: ["mention"] });
  });

  it("counts beside the ids that are given", async () => {
    const { client, sent } = setup();
    await client.send("Explain @chart", { mentions: ["rows"] });
    expect(sent()[0]!.kinds).toEqual(["mention", "mention"]);
  });

  it("may be edited, and asked again", async () => {
    const { client, sent } = setup();
    await client.send("Explain that");
    const { id } = client.getSnapshot().messages[0]!;
    await client.edit(id, "Explain @selected-rows");
    const question = client.getSnapshot().messages.findLast(({ role }) => role === "user")!;
    await client.regenerate(question.id);
    expect(sent().map(({ kinds }) => kinds)).toEqual([["dynamic"], ["mention", "dynamic"], ["mention", "dynamic"]]);
  });
});
