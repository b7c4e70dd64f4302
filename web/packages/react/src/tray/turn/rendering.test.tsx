import { act, render } from "@testing-library/react";
import { StrictMode, type ReactElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { fakeClient } from "../../../dev/fakeClient.js";
import { states } from "../../../dev/states.js";
import { AssistantProvider } from "../../provider.js";
import { AssistantTray } from "../AssistantTray.js";

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
