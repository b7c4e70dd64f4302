import { describe, expect, it } from "vitest";
import { destination, scenarioHref } from "./scenarios.ts";
import type { ArticleBrief, Scenario } from "./types.ts";
import { authorLine, plainTitle } from "./text.ts";
import { breakdown } from "./breakdown.ts";
import { clean, describeFilters, isDate, same } from "./filters.ts";

const article = (pmid: string, date = "2024-05", types = ["Journal Article"], journal = "Blood"): ArticleBrief => ({
  pmid,
  title: pmid,
  authors: [],
  journal,
  date,
  types,
});

describe("reports", () => {
  it("counts years, types and journals", () => {
    const { years, types, journals } = breakdown([
      article("1", "2023"),
      article("2", "2024-01", ["Review", "Review"]),
      article("3", "2024-02", ["Review"], "Cell"),
    ]);
    expect(years).toEqual([
      { label: "2024", value: 2 },
      { label: "2023", value: 1 },
    ]);
    expect(types).toEqual([
      { label: "Review", value: 2 },
      { label: "Journal Article", value: 1 },
    ]);
    expect(journals).toEqual([
      { label: "Blood", value: 2 },
      { label: "Cell", value: 1 },
    ]);
  });
});

describe("filters", () => {
  it("are the same without what is empty", () => {
    expect(clean({ from: " ", to: "2024", types: [], mesh: ["a", "a", " "] })).toEqual({
      to: "2024",
      mesh: ["a"],
    });
    expect(same({ types: [] }, {})).toBe(true);
    expect(same({ types: ["a"] }, {})).toBe(false);
    expect(same({ from: "2020", mesh: ["a"] }, { mesh: ["a"], from: "2020" })).toBe(true);
  });

  it("are said in words", () =>
    expect(describeFilters({ from: "2020", types: ["Review", "Letter"] })).toEqual([
      "from 2020",
      "Publication type: Review or Letter",
    ]));

  it.each([
    ["2024", true],
    ["2024-05", true],
    ["2024-05-17", true],
    ["2024-13", false],
    ["24", false],
    ["2024-5", false],
    ["", false],
  ])("%s as a date: %s", (text, is) => expect(isDate(text)).toBe(is));
});

describe("where the assistant leads", () => {
  it.each([
    [{ page: "streams" }, "/research/streams"],
    [
      { page: "edit_research_stream", stream: "2", tab: "execute", subtab: "workbench" },
      "/research/streams/2/execute/workbench",
    ],
    [{ page: "reports", selected: ["1", "2"] }, "/research/reports?selected=1,2"],
    [{ page: "reports", report: "3", tab: "analysis" }, "/research/reports/3/analysis"],
    [{ page: "article", pmid: "1" }, "/research/articles/1"],
    [{ page: "trials", nct: "NCT00000001" }, "/research/trials?open=NCT00000001"],
  ])("%j", (to, href) => expect(destination(to)).toBe(href));

  it.each([{}, { page: "admin" }, { page: "article" }, { page: "edit_research_stream" }])("nowhere with %j", (to) =>
    expect(() => destination(to)).toThrow(),
  );

  const scenario = (part: Partial<Scenario>) =>
    scenarioHref({ id: "", mode: "guide", title: "", text: "", place: "", ...part });
  it("begins a scenario where it belongs", () => {
    expect(scenario({ place: "streams" })).toBe("/research/streams");
    expect(
      scenario({
        place: "edit_research_stream/execute/workbench",
        scope: { stream: "2" },
        state: { query: "", filters: { from: "2020" }, pageSize: 50 },
      }),
    ).toBe("/research/streams/2/execute/workbench?q=&filters=own&from=2020&size=50");
    expect(scenario({ place: "trials", state: { form: { condition: "aml" }, pageSize: 100 } })).toBe(
      "/research/trials?condition=aml&size=100",
    );
    expect(scenario({ place: "reports/analysis" })).toBe("/research/reports/latest/analysis");
    expect(scenario({ place: "reports", state: { selected: ["1"] } })).toBe("/research/reports?selected=1");
  });
});

describe("words", () => {
  it.each([
    [["A"], "A"],
    [["A", "B", "C"], "A, B, C"],
    [["A", "B", "C", "D"], "A, B and 2 more"],
    [[], ""],
  ])("authors %j", (authors, line) => expect(authorLine(authors)).toBe(line));
  it("titles lose PubMed's tags and nothing else", () =>
    expect(plainTitle("<i>FLT3</i> CO<sub>2</sub> a < b, p<0.05 <script>")).toBe("FLT3 CO2 a < b, p<0.05 <script>"));
});
