import type { UserLimits } from "@pageside/core";
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { fakeClient } from "../../../dev/fakeClient.js";
import { german } from "../../labels/german.js";
import { panelEnglish } from "../../labels/panelEnglish.js";
import { dollars, timeOf } from "../../labels/numbers.js";
import { button, drawTray, showTray } from "../../../test/harness.js";

it.each([
  [0, "$0.00"],
  [0.00001, "< $0.0001"],
  [0.00419, "$0.0042"],
  [0.006, "$0.006"],
  [0.125, "$0.13"],
  [1234.5, "$1,234.50"],
])("tells %s dollars as %s", (amount, words) => expect(dollars(amount, "en")).toBe(words));

it("tells what the conversation used, all models together, and what it cost, where that is known", async () => {
  const { client, keys } = showTray();
  await keys.click(button("More"));
  expect((await screen.findByRole("menu")).getAttribute("aria-describedby")).toBeNull();
  const models = [{ model: "a", inputTokens: 1000, cachedInputTokens: 800, outputTokens: 200 }, { model: "b", inputTokens: 234, outputTokens: 10 }]; // prettier-ignore
  act(() => client.show({ usage: models }));
  const line = screen.getByText("Tokens: 1,234 in (800 from cache) · 210 out");
  expect(screen.getByRole("menu").getAttribute("aria-describedby")).toBe(line.parentElement!.id);
  act(() => client.show({ usage: models.slice(1), cost: 0.0321 }));
  expect(screen.getByText("Tokens: 234 in · 10 out · $0.03")).toBeTruthy();
  expect(german.usage?.(1234, 0, 210)).toBe("Tokens: 1.234 gelesen · 210 geschrieben");
  expect(german.usage?.(1234, 0, 10, 2)).toBe("Tokens: 1.234 gelesen · 10 geschrieben · 2,00\u00a0$");
});

const resetsAt = "2026-11-23T00:00:00Z";
const none: UserLimits = { runs: { used: 0 }, quotas: [], requests: {}, run: {} };
const limited: UserLimits = {
  ...none,
  runs: { used: 2, limit: 8 },
  quotas: [
    { scope: "user", unit: "tokens", used: 1000, held: 234, left: 3766, limit: 5000, resetsAt },
    { scope: "tenant", unit: "dollars", used: 4.75, held: 0.5, left: 0, limit: 5, resetsAt },
  ],
};

/** Shows the menu to a user with these limits, and returns its quiet lines. */
async function notesOf(limits: () => Promise<UserLimits>, labels?: typeof german) {
  const client = Object.assign(fakeClient(), { limits: vi.fn(limits) });
  drawTray(client, { labels });
  await userEvent.click(screen.getByRole("button", { name: labels?.menu ?? "More" }));
  await waitFor(() => expect(client.limits).toHaveBeenCalled());
  await act(() => Promise.resolve());
  const menu = screen.getByRole("menu");
  const lines = () => [...menu.querySelectorAll(".ps-menu-note p")].map((line) => line.textContent);
  return { client, menu, lines };
}

it("shows how much of each quota is used or held, and when it is there again", async () => {
  const { client, menu, lines } = await notesOf(() => Promise.resolve(limited));
  expect(lines()).toEqual([
    "Your quota today: 1,234 of 5,000 tokens",
    expect.stringMatching(/^Your organisation's quota of \$5\.00 a day is used up until .*\d\d:\d\d/),
    "Being answered at the moment: 2 of 8",
  ]);
  const bars = [...menu.querySelectorAll<HTMLElement>(".ps-bar > span")];
  expect(bars.map((bar) => bar.style.inlineSize)).toEqual(["24.68%", "100%", "25%"]);
  expect(document.getElementById(menu.getAttribute("aria-describedby")!)?.textContent).toContain("1,234 of 5,000");

  client.limits.mockResolvedValue({ ...limited, runs: { used: 0, limit: 8 }, quotas: limited.quotas.slice(0, 1) });
  act(() => client.show({ status: "streaming" }));
  await waitFor(() => expect(lines()).toEqual(["Your quota today: 1,234 of 5,000 tokens"]));
});

it("shows limits in German", async () => {
  const { lines } = await notesOf(() => Promise.resolve(limited), german);
  expect(lines()).toEqual([
    "Dein heutiges Kontingent: 1.234 von 5.000 Tokens",
    expect.stringMatching(/^Das Kontingent deiner Organisation von 5,00\u00a0\$ am Tag ist bis .* aufgebraucht$/),
    "Wird gerade beantwortet: 2 von 8",
  ]);
});

it.each([
  ["nothing is limited", () => Promise.resolve(none)],
  ["nothing runs", () => Promise.resolve({ ...none, runs: { used: 0, limit: 32 } })],
  ["the server does not say", () => Promise.reject(new Error("404"))],
])("shows nothing where %s", async (_, limits) => {
  const { menu } = await notesOf(limits);
  expect(menu.querySelector(".ps-menu-note")).toBeNull();
  expect(menu.hasAttribute("aria-describedby")).toBe(false);
});

it("tells the same quota of one's own and of the organisation, in tokens and dollars", () => {
  const quota = { unit: "dollars", used: 1.2, limit: 5, resetsAt: new Date() } as const;
  expect(panelEnglish.quota({ ...quota, scope: "user" }, new Date())).toBe("Your quota today: $1.20 of $5.00");
  expect(panelEnglish.quota({ ...quota, scope: "tenant", unit: "tokens", used: 5 }, new Date())).toBe(
    "Your organisation's quota of 5 tokens a day is used up until " + timeOf(quota.resetsAt, new Date(), "en"),
  );
});
