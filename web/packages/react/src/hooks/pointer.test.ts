import { describe, expect, it } from "vitest";
import { atPointer, withPointer } from "./pointer.js";

/** The examples of RFC 6901, section 5. */
const document = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8,
};
const examples: [pointer: string, value: unknown][] = [
  ["", document],
  ["/foo", ["bar", "baz"]],
  ["/foo/0", "bar"],
  ["/", 0],
  ["/a~1b", 1],
  ["/c%d", 2],
  ["/e^f", 3],
  ["/g|h", 4],
  ["/i\\j", 5],
  ['/k"l', 6],
  ["/ ", 7],
  ["/m~0n", 8],
];

describe("a JSON Pointer", () => {
  it.each(examples)("%j points at what RFC 6901 says", (pointer, value) => {
    expect(atPointer(document, pointer)).toEqual(value);
    expect(atPointer(withPointer(document, pointer, "new"), pointer)).toBe("new");
  });

  it.each(["/none", "/foo/2", "/foo/01", "/foo/-", "/foo/length", "/foo/0/length", "/toString", "/~01"])(
    "%j points at nothing",
    (pointer) => expect(atPointer(document, pointer)).toBeUndefined(),
  );

  it.each(["foo", "/~", "/~2", "/a~"])("%j is none", (pointer) => {
    expect(() => atPointer(document, pointer)).toThrow("JSON Pointer");
    expect(() => withPointer(document, pointer, 1)).toThrow("JSON Pointer");
  });
});

describe("writing", () => {
  it("makes the objects on the path, and leaves the rest as it is", () => {
    const before = { a: { b: 1 }, c: {} };
    const after = withPointer(before, "/x/y", 1) as typeof before;
    expect(after).toEqual({ a: { b: 1 }, c: {}, x: { y: 1 } });
    expect(after.a).toBe(before.a);
    expect(withPointer(undefined, "/a/0", 1)).toEqual({ a: { 0: 1 } });
  });

  it("changes elements of arrays, and appends", () => {
    expect(withPointer([1, 2], "/1", 3)).toEqual([1, 3]);
    expect(withPointer([1, 2], "/-", 3)).toEqual([1, 2, 3]);
    expect(withPointer([1, 2], "/2", 3)).toEqual([1, 2, 3]);
    for (const pointer of ["/3", "/-1", "/x", "/01"]) expect(() => withPointer([1, 2], pointer, 3)).toThrow(pointer);
  });

  it("never reaches a prototype", () => {
    const after = withPointer({}, "/__proto__/polluted", 1);
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
