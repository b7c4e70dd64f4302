import { act, render } from "@testing-library/react";
import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { fakeClient } from "../../../dev/fakeClient.js";
import { states } from "../../../dev/states.js";
import { trayOf } from "../../../test/harness.js";

it.each(Object.keys(states))("the state %s is drawn on the server and taken over without a word", async (state) => {
  vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const tray = trayOf(fakeClient(states[state]), { suggestions: ["a"] });
  const host = document.body.appendChild(document.createElement("div"));
  host.innerHTML = renderToString(tray);
  expect(host.querySelector(".ps-tray")).not.toBeNull();
  const root = await act(async () => hydrateRoot(host, tray, { onRecoverableError: (error) => errors(error) }));
  expect(errors.mock.calls).toEqual([]);
  await act(async () => root.unmount());
});

it("remembers that it is open in strict mode too", () => {
  localStorage.setItem("pageside:tray", '{"open":true}');
  render(<StrictMode>{trayOf(fakeClient(), { isOpen: false })}</StrictMode>);
  expect(document.querySelector(".ps-tray")!.hasAttribute("inert")).toBe(false);
  expect(JSON.parse(localStorage.getItem("pageside:tray")!)).toEqual({ open: true });
});
