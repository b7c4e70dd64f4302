import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** How long anything on the page may take, in milliseconds, also where the machine is busy. */
const patience = 20_000;

/** The page as a person uses it. */
export class DiscoverPage {
  readonly page: Page;
  /** What the browser's console said beyond plain information, and errors nobody caught. */
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<DiscoverPage> {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: "light",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(patience);
    const discover = new DiscoverPage(await context.newPage());
    await discover.page.goto(url);
    await discover.loaded();
    return discover;
  }

  close = () => this.page.context().close();

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

  get toast() {
    return this.page.locator(".toast");
  }

  /** Sends a question without waiting for the answer. */
  async send(question: string): Promise<void> {
    if (!(await this.tray.isVisible())) await this.page.getByRole("button", { name: "Assistant", exact: true }).click();
    await this.page.getByRole("textbox", { name: "Message" }).fill(question);
    await this.page.getByRole("button", { name: "Send message" }).click();
  }

  /** Asks, waits for the end of the answer and returns its text. */
  async ask(question: string): Promise<string> {
    await this.send(question);
    await this.page.getByRole("log").locator(".ps-bubble").last().filter({ hasText: question }).waitFor();
    await this.page.locator("[role=log][aria-busy=false]").waitFor();
    await this.loaded();
    return this.answer.innerText();
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
