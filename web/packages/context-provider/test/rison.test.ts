import { describe, expect, it } from "vitest";
import { decodeRison, parseRison } from "../src/rison.js";

describe("Rison", () => {
  it.each([
    [
      "(filters:!(),query:(language:kuery,query:'it!'s'))",
      { filters: [], query: { language: "kuery", query: "it's" } },
    ],
    ["(time:(from:now-15m,to:now),n:-1.5e3,t:!t,f:!f,z:!n)", { time: { from: "now-15m", to: "now" }, n: -1500, t: true, f: false, z: null }], // prettier-ignore
    ["!(1,'a!!b',(a:!(2)))", [1, "a!b", { a: [2] }]],
  ])("reads %s", (written, value) => expect(parseRison(written)).toEqual(value));

  it.each(["(a:1", "!(1,)", "(a)", "'open", "(a:1)x", "!x", "!(".repeat(100) + ")".repeat(100)])(
    "refuses %s",
    (written) => expect(() => parseRison(written)).toThrow(SyntaxError),
  );

  it.each(["(__proto__:(x:1),a:1)", '{"__proto__":{"x":1},"a":1}'])("leaves the prototype out of %s", (written) =>
    expect(Object.keys(decodeRison(written) as object)).toEqual(["a"]),
  );

  it("leaves what is neither Rison nor JSON", () => {
    expect(["logs", "12", '{"a":1}', "(half", "it's"].map(decodeRison)).toEqual(["logs", "12", { a: 1 }, "(half", "it's"]); // prettier-ignore
  });
});
