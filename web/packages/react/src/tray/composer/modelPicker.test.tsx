import type { OfferedModel } from "@pageside/core";
import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { showTray } from "../../../test/harness.js";
import { german } from "../../labels/german.js";

const choices: OfferedModel[] = [
  { id: "fast", label: "Quick" },
  { id: "deep", label: "Thorough", efforts: ["low", "high"] },
];

async function show(thread: Parameters<typeof showTray>[0], labels?: typeof german) {
  const shown = showTray(thread, { labels });
  const input = screen.getByRole<HTMLTextAreaElement>("textbox");
  act(() => input.focus());
  await screen.findByRole("button", { name: labels ? /^Befehle/ : /^Commands/ });
  return shown;
}

const button = (name = /^Model: /) => screen.getByRole("button", { name });
const checked = () =>
  screen.getAllByRole("menuitemradio", { checked: true }).map(({ textContent }) => textContent.trim());

it("names the default, and offers the others by the keyboard", async () => {
  const { asked, keys } = await show({ choices });
  expect(button().textContent).toBe("Quick");
  act(() => button().focus());
  await keys.keyboard("{Enter}");
  expect(checked()).toEqual(["Quick"]);
  expect(screen.queryByRole("group", { name: "Effort" })).toBeNull();
  await keys.keyboard("{ArrowDown}{Enter}");
  expect(asked("pickModel")).toEqual([["deep", undefined]]);
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button());
});

it("offers the efforts of the chosen model, and keeps one that another offers", async () => {
  const other: OfferedModel = { id: "other", label: "Other", efforts: ["high"] };
  const { asked, keys } = await show({ choices: [...choices, other], picked: { model: "deep", effort: "high" } });
  expect(button().textContent).toBe("Thorough · High");
  await keys.click(button());
  expect(checked()).toEqual(["Thorough", "High"]);
  await keys.click(screen.getByRole("menuitemradio", { name: "Low" }));
  await keys.click(button());
  await keys.click(screen.getByRole("menuitemradio", { name: "Automatic" }));
  await keys.click(button());
  await keys.click(screen.getByRole("menuitemradio", { name: "Other" }));
  await keys.click(button());
  await keys.click(screen.getByRole("menuitemradio", { name: "Quick" }));
  expect(asked("pickModel")).toEqual([
    ["deep", "low"],
    ["deep", undefined],
    ["other", "high"],
    ["fast", undefined],
  ]);
});

it("closes by Escape, and the tray stays open", async () => {
  const { asked, keys } = await show({ choices });
  await keys.click(button());
  await keys.keyboard("{Escape}");
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button());
  expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
  expect(asked("pickModel")).toEqual([]);
});

it("shows nothing where there is one model and no effort", async () => {
  const { client } = await show({ choices: choices.slice(0, 1) });
  expect(screen.queryByRole("button", { name: /^Model: / })).toBeNull();
  act(() => client.show({ choices: undefined }));
  expect(screen.queryByRole("button", { name: /^Model: / })).toBeNull();
  act(() => client.show({ choices: choices.slice(1) })); // one model, two efforts
  expect(button().textContent).toBe("Thorough");
});

it("speaks German", async () => {
  const { keys } = await show({ choices, picked: { model: "deep", effort: "low" } }, german);
  await keys.click(button(/^Modell: Thorough · Gering/));
  expect(checked()).toEqual(["Thorough", "Gering"]);
  expect(screen.getByRole("group", { name: "Aufwand" })).toBeTruthy();
});
