import { expect } from "vitest";
import { shots } from "../../../scripts/stage.ts";
import { both, describeOn } from "./harness/data.ts";
import { tally } from "./harness/library.ts";
import { researchWorld } from "./harness/suite.ts";

const aml = { condition: "acute myeloid leukemia" };

/*
 * The things to try, each with one click, from Discover. Every number is computed here a second
 * time, from what the API has; what is accepted is looked for on the page, and undone.
 */
describeOn(both, "Research's scenarios in a browser", (data) => {
  const { itOn } = researchWorld(data);

  itOn("Find articles: a query that finds what it says, accepted and undone", "/", async (research, raw) => {
    await research.attempt("Find articles");
    const card = research.card("Suggested query");
    const query = await card.locator(".card-query").innerText();
    const total = await raw.count(query);
    expect(total).toBeGreaterThan(0);
    await expect.poll(() => card.innerText()).toContain(`${total} article`);
    await expect.poll(() => research.query.inputValue()).toBe("");
    await research.accept(card, "Apply query");
    await expect.poll(() => research.query.inputValue()).toBe(query);
    await expect.poll(() => research.headline()).toBe(`${total} of ${total} articles`);
    await research.undo();
    await expect.poll(() => research.query.inputValue()).toBe("");
    await expect.poll(() => research.headline()).toMatch(/^200 of/);
  });

  itOn.long("Write a better query: finds more than the words did", "/", async (research, raw) => {
    await research.attempt("Write a better query");
    const before = await research.query.inputValue();
    const card = research.card("Suggested query");
    const query = await card.locator(".card-query").innerText();
    const [now, better] = [await raw.count(before), await raw.count(query)];
    expect(better).toBeGreaterThan(now);
    await expect.poll(() => card.innerText()).toContain(`${better} article`);
    await research.accept(card, "Apply query");
    await expect.poll(() => research.headline()).toBe(`${better} of ${better} articles`);
    await research.page.reload();
    await research.loaded();
    await research.undo(); // also after a reload of the page
    await expect.poll(() => research.query.inputValue()).toBe(before);
  });

  itOn.long("Only Phase 3: the column leaves the trials of phase 3, and no others", "/", async (research, raw) => {
    const trials = await raw.trials(aml);
    const third = trials.filter(({ phases }) => phases.includes("PHASE3"));
    expect(await research.attempt("Only Phase 3")).toContain(`${third.length} are phase 3`);
    await research.accept(research.card("Suggested column"), "Add column");
    await expect.poll(() => research.headline()).toBe(`${third.length} of ${trials.length} trials`);
    const rows = research.page.locator("main .row-button");
    const shown = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-nct")).toSorted());
    await expect.poll(shown).toEqual(third.map(({ nct }) => nct).toSorted());
    await research.undo();
    await expect.poll(() => research.headline()).toBe(`${trials.length} trials`);
    await expect.poll(() => research.page.getByRole("columnheader", { name: "Phase 3" }).count()).toBe(0);
  });

  itOn.long("OS as endpoint: names only trials whose primary outcome it is", "/", async (research, raw) => {
    const isOs = /\boverall survival\b|\bOS\b/i;
    const hits = (await raw.trials(aml)).filter(({ primaryOutcomes }) =>
      primaryOutcomes.some((each) => isOs.test(each)),
    );
    const answer = await research.attempt("OS as endpoint");
    const named = [...answer.matchAll(/NCT\d{8}/g)].map(([nct]) => nct);
    expect(named.length).toBeGreaterThan(3);
    for (const nct of named) expect(hits.map((hit) => hit.nct)).toContain(nct);
    expect(Number(/(\d+) of the \d+ loaded trials/.exec(answer)?.[1])).toBe(hits.length);
  });

  itOn.long("Patterns: phases, statuses and sponsors are those of the loaded trials", "/", async (research, raw) => {
    const trials = await raw.trials(aml);
    const answer = await research.attempt("Patterns");
    const [[, mostPhases]] = tally(trials.map(({ phase }) => phase)) as [[string, number]];
    expect(answer).toContain(`Over the ${trials.length} loaded trials`);
    expect(answer).toContain(`leads with ${mostPhases} `);
    for (const [status, count] of tally(trials.map(({ statusLabel }) => statusLabel)).slice(0, 3))
      expect(answer).toContain(`${count} ${status.toLowerCase().replaceAll(",", "")}`);
    expect(answer).toContain(`${new Set(trials.map(({ sponsor }) => sponsor)).size} different ones`);
  });

  itOn.long("Most common phase: each phase with its number", "/", async (research, raw) => {
    const answer = await research.attempt("Most common phase");
    for (const [phase, count] of tally((await raw.trials(aml)).map((trial) => trial.phase)))
      expect(answer).toContain(`${phase}: ${count} trial`);
  });

  itOn.long("What am I missing? The broader query, and how many more it finds", "/", async (research, raw) => {
    await research.attempt("What am I missing?");
    const now = await raw.count(await research.query.inputValue());
    const card = research.card("Suggested query");
    const more = (await raw.count(await card.locator(".card-query").innerText())) - now;
    await expect.poll(() => card.innerText()).toContain(`${more} more than now`);
    await research.accept(card, "Apply query");
    await expect.poll(() => research.headline()).toBe(`${now + more} of ${now + more} articles`);
  });

  itOn.long("Compare searches: a button leads to the reports", "/", async (research) => {
    await research.attempt("Compare searches");
    await research.page.getByRole("log").getByRole("button", { name: "Open reports" }).click();
    await research.loaded();
    await expect.poll(() => research.path).toBe("/research/reports");
    await expect.poll(() => research.page.locator("main h1").innerText()).toBe("Reports");
  });

  itOn.long("A column that judges: its Yes is where the word is", "/", async (research, raw) => {
    await research.attempt("A column that judges");
    await research.accept(research.card("Suggested column"), "Add column");
    const articles = await raw.articles("venetoclax[tiab]");
    const full = await Promise.all(articles.map(({ pmid }) => raw.article(pmid)));
    const yes = full.filter(({ title, abstract, mesh }) => /azacitidine/i.test([title, abstract, ...mesh].join(" ")));
    await research.page.getByRole("button", { name: "Only Azacitidine", exact: true }).click();
    await expect.poll(() => research.headline()).toBe(`${yes.length} of ${articles.length} articles`);
    await research.undo();
    await expect
      .poll(() => research.page.getByRole("columnheader", { name: "Azacitidine", exact: true }).count())
      .toBe(0);
  });

  itOn.long("Fill the trial form: the fields, the search and the number", "/", async (research, raw) => {
    await research.attempt("Fill the trial form");
    const card = research.card("Suggested trial search");
    const form = {
      intervention: "venetoclax",
      statuses: ["RECRUITING"],
      startFrom: /since (\d{4})/.exec(await card.innerText())![1],
    };
    const found = await raw.trials(form);
    await expect.poll(() => card.innerText()).toContain(`${found.length} trial`);
    await research.accept(card, "Fill the form and search");
    await expect
      .poll(() => research.page.getByRole("textbox", { name: "Intervention" }).inputValue())
      .toBe("venetoclax");
    await expect.poll(() => research.params.get("statuses")).toBe("RECRUITING");
    await expect.poll(() => research.headline()).toBe(`${found.length} trials`);
    await research.undo();
    await expect.poll(() => research.page.getByRole("textbox", { name: "Condition" }).inputValue()).toBe(aml.condition);
    await expect.poll(() => research.headline()).toBe(`${(await raw.trials(aml)).length} trials`);
  });

  itOn.long("Compare two reports: what is new, gone and in both", "/", async (research, raw) => {
    const answer = await research.attempt("Compare two reports");
    const [newest, ...others] = await raw.reports();
    const older = others.find(({ streamId }) => streamId === newest!.streamId)!;
    const [left, right] = await Promise.all([raw.report(older.id), raw.report(newest!.id)]);
    const before = new Set(left.articles.map(({ pmid }) => pmid));
    const kept = right.articles.filter(({ pmid }) => before.has(pmid)).length;
    const numbers = `${right.articles.length - kept} new, ${left.articles.length - kept} gone, ${kept} in both`;
    expect(answer).toContain(numbers);
    await expect
      .poll(() => research.card("Two reports compared").locator(".card-numbers dd").allInnerTexts())
      .toEqual([right.articles.length - kept, kept, left.articles.length - kept].map(String));
  });

  itOn.long("Why so few? The filter that cuts most, and what is left without it", "/", async (research, raw) => {
    const answer = await research.attempt("Why so few?");
    const query = await research.query.inputValue();
    const filters = { from: research.params.get("from")!, types: research.params.getAll("types") };
    const now = await raw.count(query, filters);
    const without = await raw.count(query, { from: filters.from });
    expect(answer).toContain(`${now} article`);
    expect(answer).toContain(`without the publication types ${filters.types[0]}: ${without}`);
    await research.accept(research.card("Suggested filters"), "Apply filters");
    await expect.poll(() => research.headline()).toBe(`${without} of ${without} articles`);
    await research.undo();
    await expect.poll(() => research.headline()).toBe(`${now} of ${now} article${now === 1 ? "" : "s"}`);
  });

  itOn("Missing fields: accepted, the form has them; undone, it has not", "/", async (research, raw) => {
    await research.attempt("Missing fields");
    const card = research.card("Proposed schema");
    const changes = card.locator(".card-changes strong");
    await expect.poll(() => changes.count()).toBeGreaterThan(0);
    const proposed = await changes.allInnerTexts();
    const labels = () =>
      research.page
        .getByRole("textbox", { name: "Label" })
        .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
    const before = (await raw.stream("1")).schema.fields.map(({ label }) => label);
    await expect.poll(labels).toEqual(before);
    await research.accept(card, "Change the schema");
    await expect.poll(() => labels()).toEqual([...before, ...proposed]);
    await research.page.getByText("Unsaved changes").waitFor();
    await research.undo();
    await expect.poll(() => labels()).toEqual(before);
    await expect.poll(() => research.page.getByText("Unsaved changes").count()).toBe(0);
  });

  itOn.long("Only newer articles: the stream's search with a date", "/", async (research, raw) => {
    await research.attempt("Only newer articles");
    const { query } = (await raw.stream("1")).retrieval;
    const [all, newer] = [await raw.count(query), await raw.count(query, { from: "2020" })];
    const card = research.card("Proposed retrieval");
    await expect.poll(() => card.innerText()).toContain(`${newer} articles, ${all - newer} fewer than now`);
    await research.accept(card, "Use for the stream");
    await research.page.locator(".found-total", { hasText: `${newer} articles` }).waitFor();
    await research.undo();
    await research.page.locator(".found-total", { hasText: `${all} articles` }).waitFor();
  });

  itOn.long("Check the stream: what it finds, and how many have each column", "/", async (research, raw) => {
    await research.attempt("Check the stream");
    const { query } = (await raw.stream("1")).retrieval;
    const found = await raw.articles(query);
    const text = await research.card("Check of the stream").innerText();
    expect(text).toContain(`it finds ${found.length} articles`);
    const linked = found.filter(({ nct }) => nct).length;
    expect(text.replace(/\s+/g, " ")).toContain(`Linked trial ${linked} ${Math.round((linked / found.length) * 100)}%`);
  });

  itOn("A suggested action on the server: answers in the conversation, which keeps it", "/", async (research, raw) => {
    await research.attempt("Missing fields");
    const { page } = research;
    await page.locator(".ps-suggested").getByRole("button", { name: "Check the stream" }).click();
    const found = await raw.articles((await raw.stream("1")).retrieval.query);
    const isShown = async () => {
      await page.locator('.ps-server-action > .ps-tool[data-status="complete"]').waitFor();
      await expect
        .poll(() => research.card("Check of the stream").innerText())
        .toContain(`it finds ${found.length} articles`);
    };
    await isShown();
    await page.screenshot({ path: `${shots}research-action.png` });
    await page.reload();
    await research.loaded();
    await isShown();
  });

  itOn.long("Analysis with progress: a chart of the newest report's headings", "/", async (research, raw) => {
    await research.attempt("Analysis with progress");
    const [newest] = await raw.reports();
    const { articles } = await raw.report(newest!.id);
    const full = await Promise.all(articles.map(({ pmid }) => raw.article(pmid)));
    const counts = new Map(tally(full.flatMap(({ mesh }) => [...new Set(mesh)])));
    // The chart has its values as a table too, for those who do not see it.
    const values = research.card("by MeSH heading").locator("table tbody tr");
    await expect.poll(() => values.count()).toBeGreaterThan(3);
    const bars = await values.evaluateAll((rows) =>
      rows.map((row) => [row.querySelector("th")!.innerText, parseInt(row.querySelector("td")!.innerText)] as const),
    );
    expect(bars.length).toBeGreaterThan(3);
    for (const [heading, value] of bars) expect([heading, value]).toEqual([heading, counts.get(heading)]);
  });

  itOn("A question back: two answers, then the comparison", "/", async (research, raw) => {
    const [first, second] = (await raw.reports()).map(({ name }) => name);
    await research.attempt("A question back");
    const log = research.page.getByRole("log");
    for (const [index, name] of [second!, first!].entries()) {
      const form = log.locator(".ps-interrupt-form");
      await form.getByRole("radio", { name, exact: true }).check();
      const asked = await form.innerText();
      await form.getByRole("button", { name: /answer|send|submit/i }).click();
      // The next question, or none: not the one that was answered.
      if (index === 0) await expect.poll(() => form.innerText()).not.toBe(asked);
      else await form.waitFor({ state: "detached" });
    }
    await research.idle();
    const card = research.card("Two reports compared");
    await card.waitFor();
    await expect.poll(() => card.innerText()).toContain(first);
    await expect.poll(() => card.innerText()).toContain(second);
  });

  itOn(
    "Save a field: with the user's approval the stored stream has it, and the page too",
    "/",
    async (research, raw) => {
      const before = await raw.stream("1");
      await research.attempt("Save a field, with approval");
      expect((await raw.stream("1")).version).toBe(before.version);
      await research.page
        .getByRole("log")
        .getByRole("button", { name: /^(?:allow|approve)/i })
        .click();
      await research.page.locator("[role=log][aria-busy=false]").waitFor();
      await expect.poll(async () => (await raw.stream("1")).version).toBe(before.version + 1);
      const after = await raw.stream("1");
      expect(after.schema.fields.length).toBe(before.schema.fields.length + 1);
      const labels = research.page.getByRole("textbox", { name: "Label" });
      await expect.poll(() => labels.count()).toBe(after.schema.fields.length);
      await expect.poll(() => labels.last().inputValue()).toBe(after.schema.fields.at(-1)!.label);
    },
  );
});
