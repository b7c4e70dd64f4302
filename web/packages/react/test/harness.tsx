/** For tests: the tray with the real client and an assistant in memory. */
import { createPagesideClient, type ContextEntry, type PagesideClient, type ThreadSnapshot } from "@pageside/core";
import { scriptedAgent, type Rule } from "@pageside/testing";
import { act, configure, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, vi } from "vitest";
import { fakeClient } from "../dev/fakeClient.js";
import { AssistantProvider } from "../src/provider.js";
import { AssistantTray } from "../src/tray/AssistantTray.js";
import { type AssistantTrayProps } from "../src/tray/types.js";

// The parts are loaded when they are first drawn, which takes a busy machine a while.
configure({ asyncUtilTimeout: 10_000 });

export const echo: Rule = { reply: ({ message }) => `You said: ${message}` };

export const rows: ContextEntry = {
  id: "rows",
  kind: "dynamic",
  description: "The selected rows",
  label: "@selected-rows",
  auto: false,
  value: [{ id: 17 }],
};

export const chart: ContextEntry = {
  id: "chart",
  kind: "dynamic",
  description: "The chart",
  label: "chart",
  value: { bars: 12 },
};

type Drawn = AssistantTrayProps & { page?: ReactNode; isOpen?: boolean };

/** The tray, open, beside what the page has. */
export const trayOf = (client: PagesideClient, { page, isOpen = true, ...props }: Drawn = {}) => (
  <AssistantProvider client={client} defaultOpen={isOpen}>
    {page}
    <AssistantTray {...props} />
  </AssistantProvider>
);

export const drawTray = (client: PagesideClient, drawn?: Drawn, container?: HTMLElement) =>
  render(trayOf(client, drawn), { container });

/**
 * The tray with a thread that is what the test says, and what the tray has asked of its client.
 * `threads` are those of its server.
 */
export function showTray(
  thread: Partial<ThreadSnapshot> = {},
  { threads, ...drawn }: Drawn & { threads?: PagesideClient["threads"] } = {},
) {
  const client = Object.assign(fakeClient(thread), threads && { threads });
  const asked = (name: string) => client.calls.filter(([called]) => called === name).map(([, ...args]) => args);
  return { client, keys: userEvent.setup(), asked, ...drawTray(client, drawn) };
}

export const button = (name: string | RegExp) => screen.getByRole("button", { name });
export const missing = (name: string | RegExp) => expect(screen.queryByRole("button", { name })).toBeNull();

/** Opens "What the assistant sees". */
export async function openSees(keys: ReturnType<typeof userEvent.setup>): Promise<void> {
  await keys.click(button("More"));
  await keys.click(await screen.findByRole("menuitem", { name: "What the assistant sees" }));
  await screen.findByRole("meter");
}

export async function open(
  rules: readonly Rule[] = [echo],
  prepare: (client: PagesideClient) => void = () => {},
  props: AssistantTrayProps = {},
  capabilities?: object,
) {
  const agent = scriptedAgent(rules);
  const told: typeof agent.fetch = async (url, init) =>
    capabilities && String(url).endsWith("/capabilities") ? Response.json(capabilities) : agent.fetch(url, init);
  const client = createPagesideClient({ fetch: told });
  prepare(client);
  const shown = drawTray(client, props);
  await waitFor(() => expect(document.querySelector(".ps-tools button")).not.toBeNull());
  const input = document.querySelector<HTMLTextAreaElement>(".ps-input")!;
  act(() => input.focus());
  const keys = userEvent.setup();
  return { agent, client, input, keys, ...shown };
}

/** What the user sent, in order. */
export const sentBy = (client: PagesideClient) =>
  client
    .getSnapshot()
    .messages.filter(({ role }) => role === "user")
    .map(({ content }) => content);

export const options = () =>
  screen.queryAllByRole("option").map((option) => option.querySelector(".ps-option-label")!.textContent);

export const activeOption = () =>
  document.getElementById(document.activeElement?.getAttribute("aria-activedescendant") ?? "")?.textContent ?? "";

/** Answers media queries until the end of the test: there is no window here that has a size. */
export function answerMedia(matches: (query: string) => boolean): void {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: matches(query),
    addEventListener() {},
    removeEventListener() {},
  }));
}

/** What the user downloads from now on, as it comes. */
export function watchDownloads(): { name: string; text: Promise<string> }[] {
  const downloads: ReturnType<typeof watchDownloads> = [];
  let made: Blob;
  URL.createObjectURL = (blob) => ((made = blob as Blob), "blob:x");
  URL.revokeObjectURL = () => {};
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push({ name: this.download, text: textOf(made) });
  });
  return downloads;
}

/** jsdom's blobs cannot be read otherwise. */
function textOf(blob: Blob): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.readAsText(blob);
  });
}
