import type { ContextEntry } from "@pageside/core";
import { waitForIdle } from "@pageside/testing";
import { act, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { chart, echo, open, options, rows, sentBy } from "../../../test/harness.js";

const withContext = (...entries: ContextEntry[]) =>
  open([echo], (client) => entries.forEach((entry) => client.registerContext(entry)));

const pills = () => screen.queryAllByRole("listitem").filter((item) => item.classList.contains("ps-pill"));

describe("mentions", () => {
  it("offers what has a label, and says what is sent anyway", async () => {
    const { keys } = await withContext(rows, chart, { ...chart, id: "quiet", label: undefined });
    await keys.keyboard("Look at @");
    expect(screen.getByRole("textbox", { name: "Message" }).getAttribute("aria-controls")).toBe(
      screen.getByRole("listbox", { name: "On this page" }).id,
    );
    expect(options()).toEqual(["@selected-rows", "@chart"]);
    expect(screen.getByRole("option", { name: /chart/ }).textContent).toContain("Always sent");
    expect(screen.getByRole("option", { name: /rows/ }).textContent).not.toContain("Always sent");
  });

  it("says that the page is seen anyway where nothing has a label", async () => {
    const { keys } = await withContext({ ...chart, label: undefined });
    await keys.keyboard("@");
    expect(screen.getAllByText("Nothing to mention here. The assistant sees this page already.")).toHaveLength(2);
  });

  it.each(["@sel{Enter}", "@selected-rows ", "@Selected-Rows "])(
    "sends the entry with the message: %s",
    async (typed) => {
      const { keys, client, input, agent } = await withContext(rows, chart);
      await keys.keyboard(`Compare ${typed}`);
      expect(input.value).toMatch(/^Compare @selected-rows $/i);
      expect(pills().map((pill) => pill.textContent)).toEqual(["@selected-rows"]);
      await keys.keyboard("with these{Enter}");
      await waitForIdle(client);
      expect(sentBy(client)[0]).toMatch(/^Compare @selected-rows with these$/i);
      const [{ context, forwardedProps }] = agent.inputs as unknown as [
        { context: unknown[]; forwardedProps: { pageside: { context: unknown[] } } },
      ];
      expect(context).toContainEqual({ description: "The selected rows", value: '[{"id":17}]' });
      expect(forwardedProps.pageside.context).toContainEqual(expect.objectContaining({ id: "rows", kind: "mention" }));
      expect(pills()).toEqual([]);
    },
  );

  it("leaves the text around the word as it was", async () => {
    const { keys, input } = await withContext(rows);
    await keys.keyboard("a  b");
    input.setSelectionRange(2, 2);
    await keys.keyboard("@sel{Tab}");
    expect(input.value).toBe("a @selected-rows b");
    expect(input.selectionStart).toBe(17);
  });

  it("takes a pill out by its button, with the word", async () => {
    const { keys, input } = await withContext(rows, chart);
    await keys.keyboard("@sel{Tab}and @cha{Tab}x");
    expect(pills()).toHaveLength(2);
    await keys.click(screen.getByRole("button", { name: "Remove @selected-rows" }));
    expect(pills().map((pill) => pill.textContent)).toEqual(["@chart"]);
    expect(document.activeElement).toBe(input);
    expect(input.value).toBe("and @chart x");
  });

  it("has neither a list nor a pill for a word in an address or in code", async () => {
    const { keys, client, agent } = await withContext(rows);
    await keys.keyboard("me@sel");
    expect(screen.queryByRole("listbox")).toBeNull();
    await keys.keyboard(" and `@selected-rows` for me@selected-rows{Enter}");
    expect(pills()).toEqual([]);
    await waitForIdle(client);
    expect(agent.inputs[0]!.context).toEqual([]);
  });

  it("shows the exact value that is sent", async () => {
    const { keys, input } = await withContext(rows);
    await keys.keyboard("@sel{Tab}");
    await keys.click(screen.getByRole("button", { name: "@selected-rows" }));
    const preview = screen.getByRole("dialog", { name: "This is sent" });
    expect(preview.textContent).toContain('[{"id":17}]');
    expect(preview.textContent).toContain("The selected rows");
    await keys.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(document.activeElement).toBe(input);
    expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
  });
});

describe("what is selected on the page", () => {
  const selection: ContextEntry = {
    id: "selection",
    kind: "selection",
    description: "Selected text",
    value: "some words of the page",
  };

  it("has a pill as long as it is selected", async () => {
    const { client } = await withContext();
    const undo = client.registerContext(selection);
    await screen.findByText("Selected: some words of the page");
    act(undo);
    await waitFor(() => expect(pills()).toEqual([]));
  });

  it("can be asked about, or left out", async () => {
    const { keys, client, agent, input } = await withContext(selection);
    await keys.click(screen.getByRole("button", { name: "Ask about this" }));
    expect(document.activeElement).toBe(input);
    expect(screen.queryByRole("button", { name: "Ask about this" })).toBeNull();
    await keys.keyboard("x{Home}{Backspace}"); // takes the pill out again
    await keys.click(await screen.findByRole("button", { name: "Ask about this" }));
    await keys.keyboard("{End}: what is it?{Enter}");
    await waitForIdle(client);
    expect(JSON.stringify(agent.inputs[0])).toContain('"kind":"mention"');
    await keys.click(screen.getByRole("button", { name: /^Don't send/ }));
    await waitFor(() => expect(pills()).toEqual([]));
    await keys.keyboard("and now?{Enter}");
    await waitForIdle(client);
    expect(agent.inputs[1]!.context).toEqual([]);
  });

  it("is asked about in its thread alone", async () => {
    const { keys, client } = await withContext(selection);
    await keys.click(screen.getByRole("button", { name: "Ask about this" }));
    act(() => client.newThread());
    await screen.findByRole("button", { name: "Ask about this" });
  });

  it("goes along again once something else is selected, unless it was switched off", async () => {
    const { keys, client } = await withContext(selection);
    await keys.click(screen.getByRole("button", { name: /^Don't send/ }));
    await waitFor(() => expect(pills()).toEqual([]));
    client.registerContext(selection);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.isIncluded("context", "selection")).toBe(false);
    client.registerContext({ ...selection, value: "other words" });
    await screen.findByText("Selected: other words");
    client.setIncluded("context", "selection", false);
    client.registerContext({ ...selection, value: "more words" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(pills()).toEqual([]);
  });
});

it("tells how much the assistant sees, and opens it", async () => {
  const onShowContext = vi.fn();
  const { client } = await withContext({ ...rows, auto: true, value: "x".repeat(8000) });
  const meter = await screen.findByRole("button", { name: /What the assistant sees: about 2,0\d\d tokens/ });
  expect(meter.textContent).toBe("2k tokens");
  expect(onShowContext).not.toHaveBeenCalled();
  act(() => client.setIncluded("context", "rows", false));
  await waitFor(() => expect(screen.queryByRole("button", { name: /2,0\d\d/ })).toBeNull());
});
