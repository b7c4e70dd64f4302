import { describe, expect, it } from "vitest";
import { retrieve } from "../src/tools/retrieve.js";
import type { ContextEntry } from "../src/index.js";
import { answer, calls } from "./events.js";
import { IMPATIENT, setUp } from "./server.js";

const trials = Array.from({ length: 120 }, (_, i) => ({ id: i, title: `Trial ${i}`, text: "x".repeat(50) }));

const entry = (more: Partial<ContextEntry> = {}): ContextEntry => ({
  id: "trials",
  description: "Trials",
  label: "@trials",
  kind: "dynamic",
  value: () => trials.slice(0, 3).map(({ id, title }) => ({ id, title })),
  items: () => trials,
  ...more,
});

describe("retrieve_items", () => {
  it("is offered while an entry has items, and is answered from them", async () => {
    const { server, client } = setUp(IMPATIENT);
    const undo = client.registerContext(entry());
    const undoOther = client.registerContext(entry({ id: "others", label: "@others" }));
    server.onRun(calls(["c1", "retrieve_items", { source: "@trials", ids: [7, "8"], fields: ["title"] }]));
    server.onRun(answer("There they are."));
    await client.send("What about 7 and 8?");
    expect(server.inputs[0]!.tools.map(({ name }) => name)).toEqual(["retrieve_items"]);
    expect(JSON.parse(server.inputs[1]!.messages[0]!.content as string)).toEqual({
      results: [
        {
          source: "@trials",
          total: 120,
          items: [
            { position: 7, item: { title: "Trial 7" } },
            { position: 8, item: { title: "Trial 8" } },
          ],
        },
      ],
    });
    undo();
    expect(client.getTools()).toHaveLength(1);
    undoOther();
    expect(client.getTools()).toEqual([]);
    client.registerContext(entry({ items: undefined }));
    expect(client.getTools()).toEqual([]);
  });

  it("returns so many at once, and says what it left out", () => {
    type Answer = { results: { items: object[]; leftOut: number }[] };
    const { results } = retrieve([entry()], {}) as Answer;
    expect(results[0]!.items).toHaveLength(50);
    expect(results[0]!.leftOut).toBe(70);
    const long = [entry({ items: () => trials.map((trial) => ({ ...trial, text: "y".repeat(10_000) })) })];
    const few = retrieve(long, { from: 10, to: 20 }) as Answer;
    expect(few.results[0]!.items.length).toBeLessThan(4);
    expect(few.results[0]!.items[0]).toMatchObject({ position: 10 });
  });

  it("names what it does not find", () => {
    expect(retrieve([entry()], { ids: [1, 999] })).toMatchObject({
      results: [{ items: [{ position: 1 }], notFound: ["999"] }],
    });
    expect(() => retrieve([entry()], { source: "rows" })).toThrow(/"rows".*@trials/);
  });
});
