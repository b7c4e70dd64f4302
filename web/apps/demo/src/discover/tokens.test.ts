import { describe, expect, it } from "vitest";
import { markRange, textRange, tokenize } from "./tokens.ts";

const query =
  "source=access_log | where path like '/a|b%' and bytes >= 10 | stats count() as hits by path | sort - hits";
const kinds = (text: string) => tokenize(text).map(({ kind, text: piece }) => `${kind}:${piece}`);

describe("colouring", () => {
  it.each([query, "", "  \n|", "'open", '"a""b" `c d', "😀 = ä", "where 3x"])("loses nothing of %j", (text) => {
    const tokens = tokenize(text);
    expect(tokens.map((token) => token.text).join("")).toBe(text);
  });

  it("knows the parts of the language", () => {
    expect(kinds(query)).toEqual(
      expect.arrayContaining([
        "keyword:source",
        "keyword:where",
        "string:'/a|b%'",
        "number:10",
        "function:count",
        "operator:>=",
      ]),
    );
    expect(kinds("span(timestamp, 10m)")).toEqual(expect.arrayContaining(["function:span", "number:10m"]));
    expect(kinds("eval a = if(b > 1, concat(c, 'x', 'y'), -(2)) * 3 | timechart span=1h count()")).toEqual(
      expect.arrayContaining([
        "keyword:eval",
        "function:if",
        "function:concat",
        "operator:*",
        "operator:-",
        "keyword:timechart",
        "keyword:span",
        "function:count",
      ]),
    );
    expect(kinds("a in(1)")).toContain("keyword:in");
    expect(kinds("COUNT (")).toContain("text:COUNT");
  });
});

describe("where the error is", () => {
  it("counts lines and code points from 1", () => {
    expect(textRange("ab\n😀x statu = 1", { line: 2, column: 4, length: 5 })).toEqual({ start: 7, end: 12 });
    expect(textRange("ab", { line: 9, column: 9, length: 9 })).toEqual({ start: 2, end: 2 });
  });

  it("cuts the tokens there", () => {
    const wrong = (text: string, start: number, end: number) =>
      markRange(tokenize(text), { start, end })
        .filter((piece) => piece.wrong)
        .map((piece) => piece.text);
    expect(wrong("where statu = 404", 6, 11)).toEqual(["statu"]);
    expect(wrong("where statu = 404", 3, 8).join("")).toBe("re st");
    expect(wrong("where", 5, 5)).toEqual([" "]);
    expect(markRange(tokenize(query), null).some((piece) => piece.wrong)).toBe(false);
  });
});
