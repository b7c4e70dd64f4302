import type { Locator } from "playwright-core";
import { DemoPage } from "./demo-page.ts";

/** Research as a person uses it. */
export class ResearchPage extends DemoPage {
  /** Waits until nothing on the page is being loaded. */
  async loaded(): Promise<void> {
    await this.page.locator("main h1").first().waitFor({ state: "attached" });
    await this.page.locator("main:not(:has([aria-busy=true])):not([aria-busy=true])").waitFor();
  }

  get path(): string {
    return new URL(this.page.url()).pathname;
  }

  get params(): URLSearchParams {
    return new URL(this.page.url()).searchParams;
  }

  get query(): Locator {
    return this.page.getByRole("textbox", { name: "PubMed query" });
  }

  /** The headline of the results: "63 of 63 articles". */
  async headline(): Promise<string> {
    await this.loaded();
    return this.page.locator("main .results-title").first().innerText();
  }

  get turn(): Locator {
    return this.page.getByRole("log").locator(".ps-turn").last();
  }

  /** The last card with this text in it. */
  card(text: string): Locator {
    return this.turn.locator(".ps-card").filter({ hasText: text }).last();
  }

  /** One click on a thing to try; returns what was answered, cards included. */
  async attempt(title: string): Promise<string> {
    await this.page.getByRole("button", { name: "Try this" }).click();
    const dialog = this.page.getByRole("dialog", { name: "Try this" });
    await dialog.locator(".scenario-text").first().waitFor();
    const more = dialog.getByRole("button", { name: /^\d+ more$/ });
    while (await more.count()) await more.first().click();
    const item = dialog.getByRole("button").filter({
      has: this.page.locator(".scenario-title", { hasText: new RegExp(`^${title.replace(/[?]/g, "\\?")}$`) }),
    });
    const said = (await item.locator(".scenario-text").innerText()).slice(1, -1);
    await item.click();
    return this.answered(said);
  }

  /** Sends a question, and returns the answer. */
  async ask(question: string): Promise<string> {
    await this.page.getByRole("textbox", { name: "Message" }).fill(question);
    await this.page.getByRole("button", { name: "Send message" }).click();
    return this.answered(question);
  }

  /** Waits for the end of the answer to a question. */
  async answered(question: string): Promise<string> {
    await this.ended(question);
    return this.turn.innerText();
  }

  /**
   * Accepts a card and waits until the page shows it. What appears below the card moves it up: on a
   * busy machine a click can miss it, as a person's can.
   */
  async accept(card: Locator, label: string): Promise<void> {
    const button = card.getByRole("button", { name: label });
    const accepted = this.turn.locator('.ps-card[data-status="accepted"]').first();
    await button.click();
    const taken = await accepted.waitFor({ timeout: 15_000 }).then(
      () => true,
      () => false,
    );
    if (!taken) await button.click();
    await accepted.waitFor();
    await this.loaded();
  }

  /**
   * Takes back what was accepted in the last answer. Some time after it was accepted, the button is
   * behind another.
   */
  async undo(): Promise<void> {
    const card = this.turn.locator('.ps-card[data-status="accepted"]');
    const undo = card.getByRole("button", { name: "Undo" });
    const more = card.locator(".ps-card-line > .ps-icon-button");
    await undo.or(more).first().waitFor();
    if (!(await undo.isVisible())) await more.click();
    await undo.click();
    await this.turn.locator('.ps-card[data-status="open"]').first().waitFor();
    await this.loaded();
  }
}
