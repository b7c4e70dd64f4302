// What a person does with a chat, and must see then. Each scenario runs in every version of
// CopilotKit's hooks, and on every way to the server, unless `only` says otherwise.
import assert from "node:assert/strict";
import { eventually } from "../../scripts/browser.mjs";

const long = "count for ever";

export const scenarios = {
  async chat(s) {
    await s.say("say hello");
    await s.sees("Hello! Grüße, 世界 and 👋🏽.");
    await s.say("how are you?");
    await s.sees("Answer to: how are you?");
  },

  async "markdown while it comes"(s) {
    await s.say("write markdown");
    await s.page.locator(`${s.at.assistant} h2`, { hasText: "Fruit" }).waitFor();
    await s.page.locator(`${s.at.assistant} td`, { hasText: "Apple" }).waitFor();
    await s.sees("const apple = 3;");
    await s.page.locator(`${s.at.assistant} li`, { hasText: "enjoy" }).waitFor();
    assert.equal(
      await s.page.locator(`${s.at.assistant} strong, ${s.at.assistant} [data-streamdown=strong]`).innerText(),
      "sweet",
    );
  },

  async "what the page makes readable"(s) {
    await s.say("what is in my basket");
    await s.sees("Your basket: Apple and Pear.");
  },

  async "a tool of the page"(s) {
    await s.say("paint the page green");
    await s.sees("The page says: painted green");
    assert.equal(await s.testId("colour").innerText(), "green");
    assert.equal(s.runs().length, 2, "the result makes a second run");
  },

  async "a tool that draws, while its arguments come"(s) {
    const growing = s.page.waitForFunction(() => {
      const caption = document.querySelector("[data-testid=chart] figcaption")?.textContent;
      return caption && caption !== "Sales of the year";
    });
    await s.say("draw a chart");
    await growing;
    await s.sees("That is the chart.");
    assert.equal((await s.testId("chart").innerText()).replace(/\s+/g, " "), "Sales of the year 3, 5, 8");
  },

  async "a tool that waits for a person"(s) {
    await s.say("book a flight");
    await s.press("14C");
    await s.sees("Booked: 14C.");
    await s.shows("seats", "Seat 14C");
  },

  async "an interrupt, resumed under its run"(s) {
    await s.say("ask me which");
    await s.shows("interrupt", "Which range?");
    await s.press("week");
    await s.sees("You chose week.");
    const [asked, resumed] = s.runs();
    assert.equal(resumed.runId, asked.runId, "the run that asked goes on");
    assert.equal(await s.testId("interrupt").count(), 0);
    await s.say("say hello");
    await s.sees("Hello!");
  },

  async "an approval of a backend tool, given and denied"(s, { tools }) {
    await s.say(`send a mail to ada${s.thread.slice(0, 8)}`);
    await s.testId("interrupt").waitFor();
    await s.press("Approve");
    await s.sees(`Mail: ada${s.thread.slice(0, 8)}.`);
    await s.say(`send a mail to bob${s.thread.slice(0, 8)}`);
    await s.testId("interrupt").waitFor();
    await s.press("Deny");
    await s.sees("Mail: denied.");
    const mails = tools.done.mails.filter((to) => to.endsWith(s.thread.slice(0, 8)));
    assert.deepEqual(mails, [`ada${s.thread.slice(0, 8)}`]);
  },

  async "a backend tool with its result"(s) {
    await s.say("weather in Ulm");
    await s.sees("It is 21 degrees in Ulm.");
    await s.shows("tool-get_weather", /^complete.*celsius/);
  },

  async "state that both write"(s) {
    await s.press("Share blue");
    await s.say("change blue to green");
    await s.sees("It is green now.");
    await s.shows("state", '"colour":"green"');
    await s.say("say hello");
    await s.sees("Hello!");
  },

  async "state while the model writes it"(s) {
    const growing = s.page.waitForFunction(() => {
      const { story } = JSON.parse(document.querySelector("[data-testid=state]")?.textContent ?? "{}");
      return story && !story.endsWith("words.");
    });
    await s.say("write a story");
    await growing;
    await s.sees("Written.");
    await s.shows("state", "who loved long words.");
  },

  async suggestions(s) {
    await s.say("say hello");
    await s.sees("Hello!");
    await s.page.locator(s.at.suggestion, { hasText: "Roll" }).click();
    await s.sees(/The die shows \d+\./);
    assert.equal(await s.page.locator(s.at.user).last().innerText(), "roll the die");
  },

  async "a thread after a reload"(s) {
    await s.say("say hello");
    await s.sees("Hello!");
    await s.say("weather in Ulm");
    await s.sees("It is 21 degrees in Ulm.");
    await s.reload();
    await s.sees("Hello! Grüße, 世界 and 👋🏽.");
    await s.sees("It is 21 degrees in Ulm.");
    await s.shows("tool-get_weather", /celsius/);
    assert.equal(await s.page.locator(s.at.user).count(), 2);
    await s.say("say hello");
    await s.page.locator(s.at.user).nth(2).waitFor();
    await eventually(async () => assert.equal(await s.page.locator(s.at.assistant, { hasText: "Hello!" }).count(), 2));
  },

  async "a reload while a tool waits for a person"(s) {
    await s.say("book a flight");
    await s.testId("seats").getByRole("button", { name: "14C" }).waitFor();
    await s.reload();
    await s.press("12A");
    await s.sees("Booked: 12A.");
    await s.shows("seats", "Seat 12A");
  },

  async "a reload while an approval waits"(s, { tools }) {
    const to = `eve${s.thread.slice(0, 8)}`;
    await s.say(`send a mail to ${to}`);
    await s.testId("interrupt").waitFor();
    await s.reload();
    await s.testId("interrupt").waitFor();
    await s.press("Approve");
    await s.sees(`Mail: ${to}.`);
    assert.equal(tools.done.mails.filter((sent) => sent === to).length, 1);
  },

  async "a reload while an answer comes"(s) {
    await s.say("count slowly");
    await s.sees("one two");
    await s.reload();
    await s.sees("fifteen sixteen");
    assert.equal(await s.page.locator(s.at.user).count(), 1);
  },

  async "stop in a long answer, and go on"(s, { server }) {
    const first = async () => {
      const { runs } = await (await fetch(`${server.url}/v1/threads/${s.thread}/runs`)).json();
      return runs[0].status;
    };
    await s.say(long);
    await s.sees("one and one");
    assert.equal(await first(), "live");
    await s.page.locator(s.at.stop).click();
    // CopilotKit's runtime only hangs up: then the next message ends the run
    if (s.way === "direct") await eventually(async () => assert.equal(await first(), "cancelled"));
    await s.say("say hello");
    await s.sees("Hello!");
    await eventually(async () => assert.equal(await first(), "cancelled"));
  },

  async "another answer"(s) {
    await s.say("roll the die");
    await s.sees(/The die shows \d+\./);
    const shown = await s.page.locator(s.at.assistant).last().innerText();
    await s.page.locator(s.at.regenerate).last().click();
    await eventually(async () => {
      const now = await s.page.locator(s.at.assistant, { hasText: "The die shows" }).allInnerTexts();
      assert.equal(now.length, 1);
      assert.notEqual(now[0].trim(), shown.trim());
    });
  },

  async "another question in place of the last"(s) {
    await s.say("roll the dice");
    await s.sees(/The dice shows \d+\./);
    s.page.once("dialog", (dialog) => dialog.accept("say hello"));
    await s.edit();
    await s.sees("Hello!");
    assert.deepEqual(await s.page.locator(s.at.user).allInnerTexts(), ["say hello"]);
    await s.say("and now?");
    await s.sees("Answer to: and now?");
  },

  async "an error"(s) {
    await s.say("fail now");
    await s.sees("This answer breaks off");
    await s.shows("error", "Your account is suspended until Monday.");
    await s.say("say hello");
    await s.sees("Hello!");
  },

  async "the one address for everything"(s) {
    await s.say("paint the page green");
    await s.sees("The page says: painted green");
    await s.say(long);
    await s.sees("one and one");
    await s.page.locator(s.at.stop).click();
    await s.say("say hello");
    await s.sees("Hello!");
    assert.ok(s.requests.every(({ path }) => !path.includes("/agent/")));
  },

  async "the list of threads"(s) {
    await s.say("say hello");
    await s.sees("Hello!");
    await s.reload();
    const row = s.page.locator(`[data-thread="${s.thread}"]`);
    await row.getByRole("button", { name: "Rename" }).click();
    await row.getByText("Renamed").waitFor();
    await s.reload();
    await row.getByText("Renamed").waitFor();
    await row.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    await s.reload();
    await s.page.locator(s.at.input).waitFor();
    await eventually(async () => assert.equal(await row.count(), 0));
  },
};

/** What the address of a scenario's page asks the application for. */
export const params = {
  suggestions: { suggestions: "1" },
  "state while the model writes it": { predictions: "1" },
  "the one address for everything": { single: "1" },
  "the list of threads": { threads: "1" },
};

/** Where a scenario runs, if not everywhere. */
export const only = {
  // v1 has no such hook, and the Node runtime without CopilotKit's own platform no such requests
  "the list of threads": { version: "v2", way: "direct" },
  "the one address for everything": { way: "direct" },
};

/** What the console may say in a scenario. */
export const expected = {
  // v1 logs each error that it shows
  "an error": [
    /^error: \[CopilotKit\] (Agent error|sendMessage error|Error \(agent_run_error_event\)): .*Your account is suspended/,
  ],
};
