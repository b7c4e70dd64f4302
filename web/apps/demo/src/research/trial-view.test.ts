import { describe, expect, it } from "vitest";
import {
  decodeTrialView,
  describeForm,
  encodeTrialView,
  matchingTrials,
  startTrialView,
  trialReducer,
  type TrialAction,
  type TrialColumn,
} from "./trial-view.ts";

const third: TrialColumn = {
  name: "Phase 3",
  criteria: "Is it?",
  type: "yes_no",
  filter: true,
};
const after = (...actions: TrialAction[]) => actions.reduce(trialReducer, startTrialView);

describe("the trials page's view", () => {
  it("survives a reload whole", () => {
    const view = after(
      {
        type: "search",
        form: {
          condition: " a & b ",
          phases: ["PHASE2", "PHASE2"],
          statuses: ["RECRUITING"],
          startFrom: "2020",
          sponsor: "",
        },
      },
      { type: "set", sort: "title", dir: "asc" },
      { type: "set", pageSize: 100 },
      { type: "put-column", column: third },
      { type: "set", page: 2 },
      { type: "select", ncts: ["NCT00000001"] },
      { type: "open", nct: "NCT00000002" },
    );
    expect(view.form).toEqual({ condition: "a & b", phases: ["PHASE2"], statuses: ["RECRUITING"], startFrom: "2020" });
    expect(decodeTrialView(encodeTrialView(view))).toEqual(view);
    expect(encodeTrialView(startTrialView)).toBe("");
  });

  it("keeps columns over another search, but neither page, selection nor what is open", () => {
    const view = after(
      { type: "put-column", column: third },
      { type: "set", page: 2 },
      { type: "select", ncts: ["NCT00000001"] },
      { type: "open", nct: "NCT00000002" },
      { type: "search", form: { text: "x" } },
    );
    expect(view).toMatchObject({ columns: [third], page: 1, selected: [], open: null });
  });

  it("puts a column in the place of the one with its name", () => {
    const changed = { ...third, criteria: "Really?", filter: false };
    expect(after({ type: "put-column", column: third }, { type: "put-column", column: changed }).columns).toEqual([
      changed,
    ]);
    expect(after({ type: "put-column", column: third }, { type: "remove-column", name: "Phase 3" }).columns).toEqual(
      [],
    );
  });

  it.each([
    "?column={",
    "?column=null",
    "?column=[]",
    '?column={"name":1}',
    '?column={"name":"a","criteria":"b","type":"x"}',
  ])("ignores a column that is none: %s", (search) => expect(decodeTrialView(search).columns).toEqual([]));

  it("reads addresses with a list in one parameter", () =>
    expect(decodeTrialView("?phases=PHASE2,PHASE3").form).toEqual({ phases: ["PHASE2", "PHASE3"] }));

  it("opens nothing that is no trial", () =>
    expect(decodeTrialView("?open=javascript:1&phases=PHASE9").open).toBeNull());

  it("shows only rows that meet the columns that filter, once their values are known", () => {
    const trials = [{ nct: "NCT1" }, { nct: "NCT2" }, { nct: "NCT3" }];
    const values = new Map([["Phase 3", { NCT1: true, NCT2: false, NCT3: null }]]);
    expect(matchingTrials(trials, [third], values)).toEqual([{ nct: "NCT1" }]);
    expect(matchingTrials(trials, [{ ...third, filter: false }], values)).toEqual(trials);
    expect(matchingTrials(trials, [third], new Map())).toEqual(trials);
  });

  it("says what a form asks for", () =>
    expect(
      describeForm({
        intervention: "venetoclax",
        phases: ["PHASE2", "PHASE3"],
        statuses: ["NOT_YET_RECRUITING"],
        startFrom: "2020",
      }),
    ).toEqual([
      "Intervention: venetoclax",
      "Phase: Phase 2 or Phase 3",
      "Status: Not yet recruiting",
      "Start: since 2020",
    ]));
});
