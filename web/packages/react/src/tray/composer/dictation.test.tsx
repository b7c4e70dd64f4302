import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FakeClient } from "../../../dev/fakeClient.js";
import { showTray } from "../../../test/harness.js";
import { german } from "../../labels/german.js";
import type { AssistantTrayProps } from "../types.js";
import { findRecogniser, joined, type Recognition } from "./dictation.js";

/** A browser's recognition whose events the test makes. */
class FakeRecognition implements Recognition {
  static all: FakeRecognition[] = [];
  static refuses = false;
  lang = "";
  continuous = false;
  interimResults = false;
  onresult: Recognition["onresult"] = null;
  onerror: Recognition["onerror"] = null;
  onend: Recognition["onend"] = null;
  readonly calls: string[] = [];

  constructor() {
    FakeRecognition.all.push(this);
  }

  start() {
    if (FakeRecognition.refuses) throw new Error("InvalidStateError");
    this.calls.push("start");
  }

  stop() {
    this.calls.push("stop");
  }

  abort() {
    this.calls.push("abort");
    this.onerror?.({ error: "aborted" });
    this.onend?.();
  }

  /** All results until now, as the browser gives them each time. */
  hear(...results: string[]) {
    act(() => this.onresult?.({ results: results.map((transcript) => [{ transcript }]) }));
  }

  fail(error: string) {
    act(() => {
      this.onerror?.({ error });
      this.onend?.();
    });
  }

  end() {
    act(() => this.onend?.());
  }
}

beforeEach(() => {
  FakeRecognition.all = [];
  FakeRecognition.refuses = false;
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("webkitSpeechRecognition", FakeRecognition);
});
afterEach(() => {
  document.documentElement.lang = "";
});

async function show(props: AssistantTrayProps = {}) {
  const shown = showTray({}, props);
  const input = screen.getByRole<HTMLTextAreaElement>("textbox");
  await screen.findByRole("button", { name: `${props.labels?.commands ?? "Commands"} (/)` });
  return { ...shown, input };
}

const button = () => screen.getByRole("button", { name: "Dictate" });
const isListening = () => button().getAttribute("aria-pressed") === "true";
const recognition = () => FakeRecognition.all.at(-1)!;

describe("dictating", () => {
  it("writes what is heard as it is heard, and listens until it is told to stop", async () => {
    const { input, keys } = await show();
    await keys.click(button());
    expect(isListening()).toBe(true);
    expect(screen.getByText("Listening").getAttribute("role")).toBe("status");
    expect(recognition()).toMatchObject({ continuous: true, interimResults: true, calls: ["start"] });
    recognition().hear("how many");
    expect(input.value).toBe("how many");
    recognition().hear("How many errors", " were there");
    expect(input.value).toBe("How many errors were there");

    await keys.click(button());
    expect(isListening()).toBe(false);
    expect(recognition().calls).toEqual(["start", "stop"]);
    recognition().hear("How many errors", " were there today?");
    recognition().end();
    expect(input.value).toBe("How many errors were there today?");
    expect(screen.queryByText("Nothing was heard.")).toBeNull();
  });

  it("writes at the caret, and keeps what is around it", async () => {
    const { input, keys } = await show();
    await keys.type(input, "Show in a table");
    input.setSelectionRange(4, 4);
    await keys.click(button());
    recognition().hear("all errors");
    expect(input.value).toBe("Show all errors in a table");
    expect(input.selectionStart).toBe("Show all errors".length);
    recognition().hear("errors");
    expect(input.value).toBe("Show errors in a table");
  });

  it("ends with the message, and what is heard later goes nowhere", async () => {
    const { input, asked, keys } = await show();
    await keys.click(button());
    const first = recognition();
    first.hear("what is this");
    expect(document.activeElement).toBe(input);
    await keys.keyboard("{Enter}");
    expect(asked("send").map(([text]) => text)).toEqual(["what is this"]);
    expect(isListening()).toBe(false);
    expect(first.calls).toEqual(["start", "abort"]);
    first.hear("what is this thing");
    expect(input.value).toBe("");
  });

  it("ends where the user writes", async () => {
    const { input, keys } = await show();
    await keys.click(button());
    recognition().hear("one");
    await keys.type(input, "!");
    expect(input.value).toBe("one!");
    expect(isListening()).toBe(false);
    recognition().hear("one two");
    expect(input.value).toBe("one!");
  });

  it("Escape ends it and nothing else", async () => {
    const { keys } = await show();
    await keys.click(button());
    await keys.keyboard("{Escape}");
    expect(isListening()).toBe(false);
    expect(recognition().calls).toEqual(["start", "stop"]);
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
  });

  it.each<[string, (client: FakeClient) => void]>([
    ["the page is hidden", () => void vi.spyOn(document, "hidden", "get").mockReturnValue(true)],
    ["the tray is closed", () => void fireEvent.click(screen.getByRole("button", { name: "Close" }))],
    ["another conversation is opened", (client) => act(() => client.show({ threadId: "another" }))],
  ])("ends when %s", async (_, leave) => {
    const { client, keys } = await show();
    await keys.click(button());
    leave(client);
    fireEvent(document, new Event("visibilitychange"));
    expect(recognition().calls).toEqual(["start", "abort"]);
    expect(screen.queryByRole("button", { name: "Dictate", pressed: true })).toBeNull();
  });
});

describe("what goes wrong is said", () => {
  it.each([
    ["not-allowed", /does not let this page use the microphone/],
    ["service-not-allowed", /does not let this page use the microphone/],
    ["audio-capture", "No microphone was found."],
    ["network", "The browser could not reach its speech recognition."],
    ["language-not-supported", /this language/],
    ["no-speech", "Nothing was heard."],
    ["something-new", /could not listen/],
  ])("%s", async (error, text) => {
    const { keys } = await show();
    await keys.click(button());
    recognition().fail(error);
    expect(isListening()).toBe(false);
    expect(screen.getByText(text)).toBeTruthy();
    await keys.click(button());
    expect(screen.queryByText(text)).toBeNull();
  });

  it("an end without a word, and a browser that does not begin", async () => {
    const { keys } = await show();
    await keys.click(button());
    recognition().end();
    expect(screen.getByText("Nothing was heard.")).toBeTruthy();
    FakeRecognition.refuses = true;
    await keys.click(button());
    expect(await screen.findByText(/could not listen/)).toBeTruthy();
    expect(isListening()).toBe(false);
  });

  it("in German too", async () => {
    const { keys } = await show({ labels: german });
    await keys.click(screen.getByRole("button", { name: "Diktieren" }));
    recognition().fail("audio-capture");
    expect(screen.getByText("Es wurde kein Mikrofon gefunden.")).toBeTruthy();
  });
});

describe("the language", () => {
  it.each([
    ["en", ["fr-FR", "en-GB"], "en-GB"],
    ["ja", ["en-US"], "ja"],
    ["", ["de-CH"], "de-CH"],
  ])("of a page in %o read by %o is %s", async (lang, languages, expected) => {
    document.documentElement.lang = lang;
    vi.spyOn(navigator, "languages", "get").mockReturnValue(languages);
    vi.spyOn(navigator, "language", "get").mockReturnValue(languages[0]!);
    const { keys } = await show();
    await keys.click(button());
    expect(recognition().lang).toBe(expected);
  });

  it("decides about spaces", () => {
    expect(joined("", "one")).toBe("one");
    expect(joined("one", "two")).toBe("one two");
    expect(joined("one", " two")).toBe("one two");
    expect(joined("one ", " two")).toBe("one two");
    expect(joined("one", ", two")).toBe("one, two");
    expect(joined("今日", "は")).toBe("今日は");
    expect(joined("สวัสดี", "ครับ")).toBe("สวัสดีครับ");
  });
});

describe("is not offered", () => {
  const none = () => expect(screen.queryByRole("button", { name: "Dictate" })).toBeNull();

  it("where the page does not want it", async () => {
    await show({ voice: false });
    none();
  });

  it.each(["webkitSpeechRecognition", "isSecureContext"])("without %s", async (name) => {
    vi.stubGlobal(name, undefined);
    await show();
    none();
  });

  it("where the page's policy forbids the microphone", () => {
    expect(findRecogniser()).toBe(FakeRecognition);
    const featurePolicy = { allowsFeature: (feature: string) => feature !== "microphone" };
    Object.assign(document, { featurePolicy });
    expect(findRecogniser()).toBeUndefined();
    delete (document as { featurePolicy?: unknown }).featurePolicy;
  });
});
