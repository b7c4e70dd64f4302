// One user in front of one page: what they do and see, in the words of both versions.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { PATIENCE, describe as describePage } from "../../scripts/browser.mjs";
import { params } from "./scenarios.mjs";

/** Where things are in the chat of a version. */
const chats = {
  v1: {
    input: ".copilotKitInput textarea",
    send: '[data-test-id="copilot-chat-ready"]',
    stop: '[data-test-id="copilot-chat-request-in-progress"]',
    user: ".copilotKitUserMessage",
    assistant: ".copilotKitAssistantMessage",
    suggestion: '[data-test-id="suggestion"]',
    regenerate: ".copilotKitAssistantMessage [aria-label='Regenerate response']",
  },
  v2: {
    input: '[data-testid="copilot-chat-textarea"]',
    send: '[data-testid="copilot-send-button"]',
    stop: '[data-testid="copilot-send-button"]',
    user: '[data-testid="copilot-user-message"]',
    assistant: '[data-testid="copilot-assistant-message"]',
    suggestion: '[data-testid="copilot-suggestion"]',
    regenerate: '[data-testid="copilot-regenerate-button"]',
  },
};

/** A page with an application of a version, on a thread of its own. */
export class Session {
  /** What the page must not have said or done, and did. */
  complaints = [];
  /** Requests to the runtime: their path and their body. */
  requests = [];

  static async open(world, version, way, scenario) {
    const session = new Session();
    const page = await world.context.newPage();
    page.setDefaultTimeout(PATIENCE);
    Object.assign(session, { way, page, thread: randomUUID(), at: chats[version] });
    session.watch();
    const runtime = world.runtimes[`${way}, ${scenario}`] ?? world.runtimes[way];
    const query = new URLSearchParams({ runtime, thread: session.thread, ...params[scenario] });
    await session.load(() => page.goto(`${world.pages}/${version}?${query}`));
    return session;
  }

  /**
   * Goes to the page and waits until it is connected: what is sent before that goes to an agent
   * that CopilotKit throws away.
   */
  async load(go) {
    const connected = this.page.waitForResponse((response) => {
      const request = response.request();
      return request.url().endsWith("/connect") || request.postData()?.includes('"agent/connect"');
    });
    await go();
    await connected;
    await this.page.locator(this.at.input).waitFor();
  }

  reload() {
    return this.load(() => this.page.reload());
  }

  watch() {
    const { page, complaints } = this;
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`not caught: ${error.stack}`));
    page.on("request", (request) => {
      const { hostname, protocol, pathname } = new URL(request.url());
      if (hostname !== "127.0.0.1" && protocol.startsWith("http")) complaints.push(`asked ${request.url()}`);
      if (request.method() === "POST") this.requests.push({ path: pathname, body: request.postDataJSON() });
    });
  }

  /** Runs a scenario, and afterwards holds it against what the page complained about. */
  async during(scenario, expected = []) {
    try {
      await scenario(this);
      const left = this.complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
      assert.deepEqual(left, [], "the console stays quiet");
    } catch (error) {
      const said = this.complaints.join("\n");
      throw new Error(`${error.message}\n${await describePage(this.page)}\nand said:\n${said}`, { cause: error });
    } finally {
      await this.page.close();
    }
  }

  async say(text) {
    await this.page.locator(this.at.input).fill(text);
    await this.page.locator(this.at.send).click();
    await this.page.locator(this.at.user).filter({ hasText: text }).last().waitFor();
  }

  /** Waits until an answer shows a text. */
  sees(text) {
    return this.page.locator(this.at.assistant).filter({ hasText: text }).last().waitFor();
  }

  /** Presses what asks the last question again in other words. */
  async edit() {
    if (this.at === chats.v1) return this.press("Edit");
    await this.page.locator(this.at.user).last().hover();
    await this.testId("copilot-edit-button").last().click();
  }

  press(name) {
    return this.page.getByRole("button", { name, exact: true }).click();
  }

  testId(id) {
    return this.page.getByTestId(id);
  }

  /** Waits until an element of the application shows a text. */
  shows(id, text) {
    return this.testId(id).filter({ hasText: text }).last().waitFor();
  }

  /** The input of each run that the page has started. */
  runs() {
    return this.requests.map(({ path, body }) => (path.endsWith("/run") ? body : undefined)).filter(Boolean);
  }
}
