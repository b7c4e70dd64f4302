import { afterAll, expect } from "vitest";
import { listen } from "../../../scripts/listen.mjs";
import { violations } from "../../../scripts/stage.ts";
import { describeOn, generated } from "./harness/data.ts";
import { researchWorld } from "./harness/suite.ts";

/** An Ollama with one model, which says one thing. */
const ollama = await listen((request, response) => {
  if (request.url === "/v1/models") {
    response.end(JSON.stringify({ data: [{ id: "llama3.2" }] }));
  } else if (request.url === "/v1/chat/completions") {
    const chunk = { index: 0, delta: { role: "assistant", content: "A real model speaks." }, finish_reason: "stop" };
    response.setHeader("Content-Type", "text/event-stream");
    response.end(`data: ${JSON.stringify({ id: "c", choices: [chunk] })}\n\ndata: [DONE]\n\n`);
  } else {
    response.statusCode = 404;
    response.end();
  }
});
process.env["OLLAMA_HOST"] = ollama.url; // of the demo's server
afterAll(() => {
  delete process.env["OLLAMA_HOST"];
  return ollama.stop();
});

describeOn([generated], "Connect a model", (data) => {
  const { itOn } = researchWorld(data);

  itOn(
    "from a refusal; the tray names it, it answers, and the scripted model comes back",
    "/research",
    async (research) => {
      const { page } = research;
      const dialog = page.getByRole("dialog", { name: "Connect a model" });
      const answer = await research.ask("What is venetoclax?");
      expect(answer).toContain("I cannot answer that");
      const offered = page.getByRole("group", { name: "Suggestions" }).getByRole("button", { name: "Connect a model" });

      await offered.click();
      await expect
        .poll(() => dialog.getByLabel("API key").evaluate((key) => key === document.activeElement))
        .toBe(true);
      await expect.poll(() => violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await offered.evaluate((button) => button === document.activeElement)).toBe(true);

      await page.getByRole("banner").getByRole("button", { name: "Connect a model" }).click();
      await dialog.getByRole("radio", { name: /^Ollama/ }).check();
      await dialog.getByRole("button", { name: "Connect", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      const pill = page.getByRole("button", { name: "Model: ollama/llama3.2" });
      await expect.poll(() => pill.evaluate((button) => button === document.activeElement)).toBe(true);
      const badge = page.locator(".ps-badge");
      await expect.poll(() => badge.innerText()).toMatch(/^llama3\.2/);
      expect(await research.ask("What is venetoclax?")).toContain("A real model speaks.");

      await pill.click();
      await dialog.getByRole("button", { name: "Back to the scripted model" }).click();
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => badge.innerText()).toMatch(/^Scripted demo model/);
      expect(await research.ask("What is venetoclax?")).toContain("I cannot answer that");
    },
  );
});
