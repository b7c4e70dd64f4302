import { act, render } from "@testing-library/react";
import { StrictMode, type ReactElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { assistant, fakeClient, user } from "../../../dev/fakeClient.js";
import { states } from "../../../dev/states.js";
import { AssistantProvider } from "../../provider.js";
import { AssistantTray } from "../AssistantTray.js";
import type * as turns from "./turns.js";

// A turn that renders, and is not being answered, asks for its answer.
const rendered = vi.hoisted(() => [] as string[]);
vi.mock("./turns.js", async (original) => {
  const module = await original<typeof turns>();
  return {
    ...module,
    answerOf: (turn: turns.Turn) => {
      rendered.push(turn.id);
      return module.answerOf(turn);
    },
  };
});

const withTray = (client: ReturnType<typeof fakeClient>): ReactElement => (
  <AssistantProvider client={client} defaultOpen>
    <AssistantTray suggestions={["a"]} />
  </AssistantProvider>
);

it.each(Object.keys(states))("the state %s is drawn on the server and taken over without a word", async (state) => {
  vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const client = fakeClient(states[state]);
  const host = document.body.appendChild(document.createElement("div"));
  host.innerHTML = renderToString(withTray(client));
  expect(host.querySelector(".ps-tray")).not.toBeNull();
  const root = await act(async () =>
    hydrateRoot(host, withTray(client), { onRecoverableError: (error) => errors(error) }),
  );
  expect(errors.mock.calls).toEqual([]);
  await act(async () => root.unmount());
  host.remove();
});

it("remembers that it is open in strict mode too", () => {
  localStorage.setItem("pageside:tray", '{"open":true}');
  render(
    <StrictMode>
      <AssistantProvider client={fakeClient()}>
        <AssistantTray />
      </AssistantProvider>
    </StrictMode>,
  );
  expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
  expect(JSON.parse(localStorage.getItem("pageside:tray")!)).toEqual({ open: true });
});

it("renders closed messages not once in ten thousand deltas", async () => {
  const before = Array.from({ length: 20 }, (_, index) => [user(`q${index}`), assistant(`a${index}`)]).flat();
  const [asked, answer] = [user("now"), assistant("x")];
  const client = fakeClient({ messages: before });
  render(withTray(client));
  await vi.waitFor(() => expect(document.querySelectorAll(".ps-turn .ps-md")).toHaveLength(20), 30_000);
  act(() => client.show({ messages: [...before, asked], status: "submitted" }));
  rendered.length = 0;
  let content = "";
  for (let batch = 0; batch < 100; batch++) {
    act(() => {
      for (let delta = 0; delta < 100; delta++) {
        content += "word ";
        const growing = { ...answer, content } as typeof answer;
        client.show({ messages: [...before, asked, growing], status: "streaming", streamingMessageId: answer.id });
      }
    });
  }
  const shown = () => document.querySelector(".ps-turn[data-last] .ps-md")!.textContent!.trim();
  // a long text is drawn in portions
  await vi.waitFor(() => expect(shown()).toBe(content.trim()), 30_000);
  expect(rendered.filter((id) => id !== asked.id)).toEqual([]);
});
