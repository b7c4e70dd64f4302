// What people do with a chat, on any page of ../src.
import assert from "node:assert/strict";
import { eventually } from "../../scripts/browser.mjs";

export const HELLO = "Hello! Grüße, 世界 and 👋🏽.";

export const scenarios = {
  "text, and a second question": async (person) => {
    await person.say("say hello");
    await person.see(HELLO);
    await person.say("think");
    await person.see("It is 42.");
    assert.equal(await person.count("user"), 2);
    assert.equal(await person.answers.count(), 2);
  },

  reasoning: async (person) => {
    await person.say("think");
    await person.see("It is 42.");
    await person.last.getByRole("blockquote").getByText("six times seven").waitFor();
  },

  "markdown that streams": async (person) => {
    await person.say("write markdown");
    await person.last.getByRole("heading", { name: "Fruit" }).waitFor();
    await person.last.getByRole("cell", { name: "Apple" }).waitFor();
    await person.last.getByRole("listitem").nth(1).waitFor();
  },

  "a tool of the server": async (person) => {
    await person.say("weather in Ulm");
    await person.see("It has 21 degrees.");
    await person.page.getByText("Let me look.").waitFor(); // a message of its own in AG-UI
    await person.tool("get_weather").getByText('"celsius":21').waitFor();
  },

  "a tool of the page, and what follows": async (person, { server }) => {
    await person.say("paint it rgb");
    await person.see("The page says: painted rgb.");
    await person.say("weather and paint it red");
    await person.see("With 2 results: painted red.");
    await eventually(async () =>
      assert.equal(await person.page.evaluate(() => document.body.style.backgroundColor), "red"),
    );
    assert.equal(server.model.requests.at(-1).messages.filter((m) => m.role === "tool").length, 3);
  },

  "an approval that is given": async (person, { server }) => {
    const { mails } = server.model.done;
    mails.length = 0;
    await person.say("send a mail to ada");
    await person.tool("send_mail").getByText('"to":"ada"').waitFor();
    assert.deepEqual(mails, []);
    await person.click("Approve");
    await person.see("It is sent.");
    assert.deepEqual(mails, ["ada"]);
    await person.say("say hello");
    await person.see(HELLO);
  },

  "an approval that is denied": async (person, { server }) => {
    const { mails } = server.model.done;
    mails.length = 0;
    await person.say("send a mail to bob");
    await person.click("Deny");
    await person.see("Then I will not.");
    assert.deepEqual(mails, []);
  },

  "a long answer is stopped, and the next question answered": async (person) => {
    await person.say("count for ever");
    await person.see(/w3\b/);
    await person.click("Stop");
    await person.idle();
    await person.say("say hello");
    await person.see(HELLO);
    assert.equal(await person.count("user"), 2);
  },

  "an error is shown, and the next question answered": async (person) => {
    await person.say("fail in the middle");
    await person.see("This is how far");
    await person.page.getByRole("alert").getByText("vllm/mock").waitFor();
    await person.idle();
    await person.say("say hello");
    await person.see(HELLO);
  },

  regenerate: async (person) => {
    await person.say(`how often did chat ${new URL(person.page.url()).searchParams.get("chat")} ask?`);
    await person.see("I was asked 1 times.");
    await person.idle();
    await person.click("Regenerate");
    await person.see("I was asked 2 times.");
    assert.equal(await person.count("user"), 1);
    assert.equal(await person.answers.count(), 1);
  },
};

/** For pages that can load a chat. */
export const reloading = {
  "a reload shows the chat": async (person) => {
    await person.say("think");
    await person.see("It is 42.");
    await person.say("weather in Ulm");
    await person.see("It has 21 degrees.");
    await person.idle();
    await person.reload();
    await person.see("It has 21 degrees.");
    await person.tool("get_weather").getByText('"celsius":21').waitFor();
    assert.equal(await person.count("user"), 2);
    await person.say("say hello");
    await person.see(HELLO);
  },

  "a reload while an answer is under way shows all of it": async (person, { server }) => {
    await person.say("count slowly");
    await person.see(/w3\b/);
    const asked = server.model.requests.length;
    await person.reload();
    await person.see(/^w1 w2 .* w60$/);
    await person.idle();
    assert.equal(server.model.requests.length, asked, "the model is not asked again");
    assert.equal(await person.answers.count(), 1);
    await person.say("say hello");
    await person.see(HELLO);
  },
};
