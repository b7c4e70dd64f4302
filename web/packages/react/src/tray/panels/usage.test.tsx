import { act, cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fakeClient } from "../../../dev/fakeClient.js";
import { german } from "../../labels/german.js";
import { dollars } from "../../labels/numbers.js";
import { AssistantProvider } from "../../provider.js";
import { AssistantTray } from "../AssistantTray.js";

beforeEach(() => localStorage.clear());
afterEach(cleanup);

it.each([
  [0, "$0.00"],
  [0.00001, "< $0.0001"],
  [0.00419, "$0.0042"],
  [0.006, "$0.006"],
  [0.125, "$0.13"],
  [1234.5, "$1,234.50"],
])("tells %s dollars as %s", (amount, words) => expect(dollars(amount, "en")).toBe(words));

it("shows what the conversation used, and what it cost where that is known", async () => {
  const usage = [{ provider: "openai", model: "small", inputTokens: 1234, outputTokens: 10 }];
  const client = fakeClient({ usage, cost: 0.0321 });
  render(
    <AssistantProvider client={client} defaultOpen>
      <AssistantTray />
    </AssistantProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: "More" }));
  expect(await screen.findByText("Tokens: 1,234 in · 10 out · $0.03")).toBeTruthy();
  act(() => client.show({ cost: undefined }));
  expect(screen.getByText("Tokens: 1,234 in · 10 out")).toBeTruthy();
  expect(german.usage?.(1234, 0, 10, 2)).toBe("Tokens: 1.234 gelesen · 10 geschrieben · 2,00\u00a0$");
});
