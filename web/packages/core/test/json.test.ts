import { describe, expect, it } from "vitest";
import { effortOf } from "./effort.js";
import { parsePartialJson } from "../src/protocol/partial-json.js";
import { applyPatch } from "../src/protocol/patch.js";

describe("applyPatch", () => {
  const op = (value: object) => [value as never];

  // Cases of RFC 6902, appendix A.
  it.each<[unknown, object, unknown]>([
    [{ foo: "bar" }, { op: "add", path: "/baz", value: "qux" }, { foo: "bar", baz: "qux" }],
    [{ foo: ["bar", "baz"] }, { op: "add", path: "/foo/1", value: "qux" }, { foo: ["bar", "qux", "baz"] }],
    [{ foo: ["bar"] }, { op: "add", path: "/foo/-", value: ["abc"] }, { foo: ["bar", ["abc"]] }],
    [{ baz: "qux", foo: "bar" }, { op: "remove", path: "/baz" }, { foo: "bar" }],
    [{ foo: ["bar", "qux", "baz"] }, { op: "remove", path: "/foo/1" }, { foo: ["bar", "baz"] }],
    [{ baz: "qux" }, { op: "replace", path: "/baz", value: null }, { baz: null }],
    [
      { a: { b: 1 }, c: {} },
      { op: "move", from: "/a/b", path: "/c/d" },
      { a: {}, c: { d: 1 } },
    ],
    [
      { foo: ["all", "grass", "cows", "eat"] },
      { op: "move", from: "/foo/1", path: "/foo/3" },
      { foo: ["all", "cows", "eat", "grass"] },
    ],
    [{ a: [1] }, { op: "copy", from: "/a", path: "/b" }, { a: [1], b: [1] }],
    [{ a: { b: [1, { c: 2 }] } }, { op: "test", path: "/a", value: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2 }] } }],
    [
      { "a/b": 1, "m~n": 2 },
      { op: "replace", path: "/a~1b", value: 3 },
      { "a/b": 3, "m~n": 2 },
    ],
    [{ "~1": 1 }, { op: "replace", path: "/~01", value: 3 }, { "~1": 3 }],
    [{ "": { "": 1 } }, { op: "replace", path: "//", value: 2 }, { "": { "": 2 } }],
    [{ a: 1 }, { op: "replace", path: "", value: [2] }, [2]],
    [{ a: 1 }, { op: "add", path: "", value: 0 }, 0],
    [null, { op: "add", path: "", value: { a: 1 } }, { a: 1 }],
    [{ a: 1 }, { op: "unknown", path: "/a" }, { a: 1 }],
  ])("%j with %j is %j", (document, operation, expected) => {
    const before = structuredClone(document);
    expect(applyPatch(document, op(operation))).toEqual(expected);
    expect(document).toEqual(before);
  });

  it.each<[unknown, object]>([
    [{}, { op: "replace", path: "/a", value: 1 }],
    [{}, { op: "remove", path: "/a" }],
    [{}, { op: "add", path: "/a/b", value: 1 }],
    [{ a: null }, { op: "add", path: "/a/b", value: 1 }],
    [{ a: "text" }, { op: "add", path: "/a/b", value: 1 }],
    [{ a: [] }, { op: "add", path: "/a/1", value: 1 }],
    [{ a: [1] }, { op: "remove", path: "/a/1" }],
    [{ a: [1] }, { op: "replace", path: "/a/00", value: 1 }],
    [{ a: [1] }, { op: "replace", path: "/a/-", value: 1 }],
    [{ a: [1] }, { op: "replace", path: "/a/length", value: 0 }],
    [{ a: {} }, { op: "move", from: "/a", path: "/a/b" }],
    [{ a: 1 }, { op: "test", path: "/a", value: "1" }],
    [{ a: 1 }, { op: "add", path: "a", value: 1 }],
    [{ a: 1 }, { op: "copy", from: "/toString", path: "/b" }],
    [[1], { op: "copy", from: "/a~1b", path: "" }],
    [{}, { op: "add", path: "/__proto__/polluted", value: 1 }],
    [{}, { op: "add", path: "/__proto__", value: { polluted: 1 } }],
    [{}, { op: "add", path: "/constructor/prototype/polluted", value: 1 }],
    [JSON.parse('{"__proto__": {}}'), { op: "copy", from: "/__proto__", path: "/a" }],
  ])("%j refuses %j", (document, operation) => {
    const before = structuredClone(document);
    expect(() => applyPatch(document, op(operation))).toThrow();
    expect(document).toEqual(before);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("shares what it does not touch", () => {
    const document = { a: { deep: [1] }, b: { x: 1 } };
    const result = applyPatch(document, op({ op: "replace", path: "/b/x", value: 2 })) as typeof document;
    expect(result.a).toBe(document.a);
    expect(result.b).not.toBe(document.b);
  });
});

describe("parsePartialJson", () => {
  it.each<[string, unknown]>([
    ["", undefined],
    ["{", {}],
    ['{"que', {}],
    ['{"query"', {}],
    ['{"query":', {}],
    ['{"query": "source=lo', { query: "source=lo" }],
    ['{"a": 1, "b": tru', { a: 1 }],
    ['{"a": true, "b": -', { a: true }],
    ['{"a": [1, 2', { a: [1, 2] }],
    ['{"a": [1, {"b": "x\\', { a: [1, { b: "x" }] }],
    ['{"a": "x\\u00', { a: "x" }],
    ['{"a": "x\\u00e9', { a: "xé" }],
    ['{"a": "\\\\', { a: "\\" }],
    ['{"a": "say \\"hi\\" {[', { a: 'say "hi" {[' }],
    ['[{"a": 1}, {', [{ a: 1 }, {}]],
    ["12", 12],
    ["nope", undefined],
  ])("%j gives %j", (text, expected) => {
    expect(parsePartialJson(text)).toEqual(expected);
  });

  it("never throws and never loses a finished member, wherever the text is cut", () => {
    const value = { query: 'a "quoted" \\ \n é 👍', list: [1, 2.5e3, null, { deep: [[true]] }], last: {} };
    const text = JSON.stringify(value, null, 1);
    const finished = text.indexOf('"list"');
    for (let end = 1; end <= text.length; end++) {
      const partial = parsePartialJson(text.slice(0, end)) as Partial<typeof value>;
      if (end > finished) expect(partial.query, text.slice(0, end)).toBe(value.query);
    }
  });

  it("is quick with long strings and deep nesting", () => {
    const read = () => {
      expect(parsePartialJson(`{"a": "${"x\\n".repeat(200_000)}`)).toHaveProperty("a");
      parsePartialJson("[".repeat(2000));
    };
    expect(effortOf(read, 2000)).toBeLessThan(2000);
  });
});
