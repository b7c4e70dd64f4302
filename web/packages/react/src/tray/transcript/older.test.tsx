import { createPagesideClient, type Message } from "@pageside/core";
import { scriptedAgent } from "@pageside/testing";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { drawTray, watchDownloads } from "../../../test/harness.js";

/** A thread of 200 messages. */
const messages = Array.from({ length: 100 }, (_, n): Message[] => [
  { id: `q${n}`, role: "user", content: `question ${n}` },
  { id: `a${n}`, role: "assistant", content: `answer ${n}` },
]).flat();

async function open() {
  const agent = scriptedAgent([{ reply: "Ok." }], {
    threads: [{ id: "long", title: "Long", messages }],
  });
  const net = { isBroken: false };
  const client = createPagesideClient({
    threadId: "long",
    history: 20,
    fetch: (url, init) =>
      net.isBroken && String(url).includes("/history?")
        ? Promise.reject(new TypeError("offline"))
        : agent.fetch(url, init),
  });
  drawTray(client);
  await screen.findByText("question 99");
  return { agent, client, net, keys: userEvent.setup() };
}

const questions = () => [...document.querySelectorAll(".ps-bubble")].map(({ textContent }) => textContent);
const earlier = () => screen.findByRole("button", { name: "Show earlier messages" });
const said = () =>
  [...document.querySelectorAll(".ps-older [role=status]")].map(({ textContent }) => textContent).join();

it("a long thread shows its newest turns, and older ones at the press of a key", async () => {
  const { agent, keys } = await open();
  expect(questions()).toEqual(Array.from({ length: 10 }, (_, n) => `question ${n + 90}`));
  const button = await earlier();
  button.focus();
  await keys.keyboard("{Enter}");
  await waitFor(() => expect(questions()[0]).toBe("question 80"));
  expect(said()).toBe("Earlier messages were loaded");
  expect(document.activeElement).toBe(await earlier());
  const asked = agent.requests.filter(({ path }) => path.includes("/history?")).map(({ path }) => path);
  expect(asked).toEqual(["/v1/threads/long/history?before=q90&limit=20"]);
});

it("what cannot be loaded is told, and can be asked for again", async () => {
  const { net, keys } = await open();
  net.isBroken = true;
  await keys.click(await earlier());
  const again = await screen.findByRole("button", { name: /could not be loaded/ });
  expect(said()).toMatch(/could not be loaded/);
  net.isBroken = false;
  await keys.click(again);
  await waitFor(() => expect(questions()[0]).toBe("question 80"));
});

it("is loaded before the reader comes to the first turn", async () => {
  const near = new Set<IntersectionObserverCallback>();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      #tell: IntersectionObserverCallback;
      constructor(tell: IntersectionObserverCallback) {
        this.#tell = tell;
      }
      observe = (element: Element) => element.className === "ps-older" && near.add(this.#tell);
      unobserve = () => {};
      disconnect = () => near.delete(this.#tell);
    },
  );
  await open();
  await waitFor(() => expect(near.size).toBe(1));
  const entry = { isIntersecting: true } as IntersectionObserverEntry;
  act(() => near.forEach((tell) => tell([entry], {} as IntersectionObserver)));
  await waitFor(() => expect(questions()[0]).toBe("question 80"));
  await waitFor(() => expect(near.size).toBe(1)); // and the next window after it
});

it("the beginning leaves the focus in the conversation, and has no button", async () => {
  const { client, keys } = await open();
  const { loadOlder } = client;
  client.loadOlder = () => loadOlder({ all: true });
  (await earlier()).focus();
  await keys.keyboard("{Enter}");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("log")));
  expect(client.getSnapshot().messages).toEqual(messages);
  expect(document.querySelector(".ps-older button")).toBeNull();
  expect(said()).toBe("Earlier messages were loaded");
});

it("an export has all of the thread", async () => {
  const { keys } = await open();
  const downloads = watchDownloads();
  await keys.click(screen.getByRole("button", { name: "More" }));
  fireEvent.click(await screen.findByText(/Export/, { selector: "[role^=menuitem]" }));
  await waitFor(() => expect(downloads).toHaveLength(1));
  const text = await downloads[0]!.text;
  expect(text).toContain("question 0\n");
  expect(text.match(/question /g)).toHaveLength(100);
});
