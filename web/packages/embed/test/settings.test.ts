import { describe, expect, it, vi } from "vitest";
import { createPage } from "../src/page.js";
import { ATTRIBUTES, readSettings, settingsOf } from "../src/settings.js";

const ADDRESS = "https://a.example/base/pageside.js";

function element(tag: string, attributes: Record<string, string>): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

describe("what a page says about its assistant", () => {
  it("is on the script tag, and else the server that the script came from, its default agent, and nobody by name", () => {
    expect(readSettings(undefined, undefined, ADDRESS)).toEqual({
      url: "https://a.example/base",
      agent: "default",
      user: "",
    });
    const script = element("script", { "data-url": "https://b.example/", "data-agent": "shop", "data-user": "ada" });
    expect(readSettings(undefined, script, ADDRESS)).toEqual({ url: "https://b.example", agent: "shop", user: "ada" });
  });

  it("is on the element first", () => {
    const script = element("script", { "data-agent": "shop", "data-user": "ada" });
    const tray = element("pageside-tray", { user: "bob" });
    expect(readSettings(tray, script, ADDRESS)).toEqual({ url: "https://a.example/base", agent: "shop", user: "bob" });
  });

  it("reaches the client: each user has one", () => {
    const script = element("script", { "data-user": "ada" });
    const page = createPage(readSettings(undefined, script, ADDRESS), script, "https://a.example/base");
    expect(page.client.identity).toEqual({ url: "https://a.example/base", agent: "default", user: "ada" });
    expect(ATTRIBUTES).toContain("user"); // so that the tray is drawn again
    const bob = page.clientFor(settingsOf(element("pageside-tray", { user: "bob" }), page.settings));
    expect(bob.identity.user).toBe("bob");
    expect(bob).not.toBe(page.client);
    expect(page.clientFor(settingsOf(element("pageside-tray", {}), page.settings))).toBe(page.client);
  });

  it("sends the user's token to the server of the script tag only", async () => {
    const sent: [string, string | null][] = [];
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
      sent.push([new URL(url).origin, new Headers(init.headers).get("Authorization")]);
      return Promise.resolve(new Response('{"threads":[]}'));
    });
    vi.stubGlobal("myToken", () => Promise.resolve("t1"));
    const script = element("script", { "data-token": "myToken" });
    const page = createPage(readSettings(undefined, script, ADDRESS), script, "https://a.example/base");
    await page.client.listThreads();
    await page
      .clientFor(settingsOf(element("pageside-tray", { url: "https://evil.example" }), page.settings))
      .listThreads();
    expect(sent).toEqual([
      ["https://a.example", "Bearer t1"],
      ["https://evil.example", null],
    ]);
  });
});
