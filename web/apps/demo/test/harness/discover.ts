import { DemoPage } from "./demo-page.ts";

/** The page as a person uses it. */
export class DiscoverPage extends DemoPage {
  /** Waits until the results on screen are those of the current query. */
  async loaded(): Promise<void> {
    await this.results.and(this.page.locator("[aria-busy=false]")).waitFor();
  }

  get results() {
    return this.page.getByRole("region", { name: "Results" });
  }

  get queryBar() {
    return this.page.getByRole("textbox", { name: "PPL query" });
  }

  get tray() {
    return this.page.locator(".ps-tray");
  }

  /** The last answer's text and tables. */
  get answer() {
    return this.page.getByRole("log").locator(".ps-turn").last().locator(".ps-answer-body");
  }

  /** Undoes what the last question changed, on its receipt. */
  get undo() {
    return this.answer.getByRole("button", { name: "Undo" });
  }

  /** Sends a question without waiting for the answer. */
  async send(question: string): Promise<void> {
    if (!(await this.tray.isVisible())) await this.page.getByRole("button", { name: "Assistant", exact: true }).click();
    await this.page.getByRole("textbox", { name: "Message" }).fill(question);
    await this.page.getByRole("button", { name: "Send message" }).click();
  }

  /**
   * Gives a command by keys: its name, chosen in the list, sends it, or stands in the box and is
   * sent.
   */
  async command(name: string): Promise<void> {
    const box = this.tray.locator("textarea");
    await box.fill(name);
    await this.tray.getByRole("option", { name }).first().waitFor();
    await box.press("Enter");
    await this.tray.getByRole("option").first().waitFor({ state: "detached" });
    if (await box.inputValue()) await box.press("Enter");
  }

  /** Asks, waits for the end of the answer and returns its text. */
  async ask(question: string): Promise<string> {
    await this.send(question);
    await this.ended(question);
    // without the time of day, which stands beside the buttons
    return (await this.answer.innerText()).replace(/\n\d+:\d+\s[AP]M$/, "");
  }

  /** The number of requests that match, from the line above the histogram. */
  async matched(): Promise<number> {
    return Number((await this.page.locator(".stats strong").innerText()).replaceAll(",", ""));
  }

  /** The table's cells as text. */
  async rows(): Promise<string[][]> {
    return this.results
      .locator("tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll("td:not(.cell-open, .cell-tick)")].map((cell) => cell.textContent.trim()),
        ),
      );
  }

  chips(): Promise<string[]> {
    return this.page.getByRole("list", { name: "Filters" }).locator(".chip-label").allInnerTexts();
  }
}
