import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { assistant, fakeClient, user, type FakeClient } from "../../../dev/fakeClient.js";
import { useAssistantSuggestions } from "../../hooks/useAssistantSuggestions.js";
import { drawTray } from "../../../test/harness.js";

function Page({ instructions }: { instructions?: string }) {
  useAssistantSuggestions({ instructions, static: ["Own?"] }, [instructions]);
  return null;
}

const said = [user("Which phase?"), assistant("Phase 3.")];

/** A tray on a page; `suggested` are the server's answers, one after the other. */
function show(client: FakeClient, suggested: string[][], instructions: string | undefined = "About trials") {
  client.suggest = vi.fn((_text?: string, _context?: unknown) => {
    const next = suggested.length > 1 ? suggested.shift()! : (suggested[0] ?? []);
    return Promise.resolve(next.map((value) => ({ label: value, value })));
  });
  drawTray(client, { page: <Page instructions={instructions} /> });
  return client.suggest as ReturnType<typeof vi.fn>;
}

const group = () => document.querySelector<HTMLElement>(".ps-next");
const chip = (name: string) => within(group()!).findByRole("button", { name });
const rest = (milliseconds: number) => act(() => new Promise((done) => setTimeout(done, milliseconds)));

it("suggests below an answer that brings nothing of its own, from the conversation too", async () => {
  const client = fakeClient({ messages: said });
  const suggest = show(client, [["Which sponsors?", "Which phase?"]]);
  expect(group()).toBeTruthy(); // its place is kept before anything is there
  await chip("Which sponsors?");
  expect(within(group()!).queryByRole("button", { name: "Which phase?" })).toBeNull(); // just asked
  expect(screen.queryByText("Own?")).toBeNull();
  const [text, context] = suggest.mock.calls[0] as [string, { value: string }[]];
  expect(text).toBe("About trials");
  expect(JSON.parse(context[0]!.value)).toMatchObject({ answer: "Phase 3." });
});

it("sends a click as a suggestion, which counts as somebody else's words", async () => {
  const client = fakeClient({ messages: said });
  const send = (client.send = vi.fn());
  show(client, [["Which sponsors?"]]);
  fireEvent.click(await chip("Which sponsors?"));
  expect(send).toHaveBeenCalledWith("Which sponsors?", { suggested: true });
});

it("is gone while a run goes on, and asks again after it", async () => {
  const client = fakeClient({ messages: said });
  const suggest = show(client, [["First?"], ["Second?"]]);
  await chip("First?");
  act(() => client.show({ status: "streaming", messages: [...said, user("More")] }));
  expect(group()).toBeNull();
  act(() => client.show({ status: "idle", messages: [...said, user("More"), assistant("Here.")] }));
  expect(screen.queryByText("First?")).toBeNull(); // of the answer before
  await chip("Second?");
  expect(suggest).toHaveBeenCalledTimes(2);
});

it("asks nothing where the answer has its own, or no component says what to suggest", async () => {
  const own = { metadata: { pageside: { suggestedValues: [{ label: "Own value", value: "Own value" }] } } };
  const client = fakeClient({ messages: [said[0]!, { ...said[1]!, ...own }] });
  const suggest = show(client, [["Made?"]]);
  await screen.findByRole("button", { name: "Own value" });
  await rest(50);
  expect(suggest).not.toHaveBeenCalled();
  cleanup();
  const other = fakeClient({ messages: said });
  const asked = show(other, [["Made?"]], " ");
  await rest(50);
  expect(asked).not.toHaveBeenCalled();
  expect(group()).toBeNull();
});

it("leaves what the focus is in, until it leaves", async () => {
  const client = fakeClient({ messages: said });
  show(client, [["First?"], ["Second?"]]);
  (await chip("First?")).focus();
  act(() => void client.pageChanged());
  await rest(400);
  const first = within(group()!).getByRole("button", { name: "First?" });
  expect(document.activeElement).toBe(first);
  act(() => first.blur());
  await waitFor(() => expect(group()).toBeTruthy());
});
