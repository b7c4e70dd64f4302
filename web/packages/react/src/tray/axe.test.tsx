import { render, screen } from "@testing-library/react";
import axe from "axe-core";
import { expect, it } from "vitest";
import { stride } from "../../../../long.js";
import { fakeClient } from "../../dev/fakeClient.js";
import { Handlers } from "../../dev/Handlers.js";
import { states } from "../../dev/states.js";
import { AssistantProvider } from "../provider.js";
import { AssistantTray } from "./AssistantTray.js";

// Colours and sizes need a browser that draws; they are checked there.
const drawn = ["color-contrast", "target-size", "scrollable-region-focusable"];

// Every fourth one in the short version: the browser looks at each, too.
const some = [...Object.keys(states), "closed"].filter(
  (_, index, { length }) => (length - 1 - index) % stride(4) === 0,
);

it.each(some)("axe finds nothing in the state %s", async (state) => {
  document.documentElement.lang = "en";
  document.title = "Tray";
  render(
    <main>
      <h1>Page</h1>
      <AssistantProvider client={fakeClient(states[state])} defaultOpen={state !== "closed"}>
        <Handlers />
        <AssistantTray pageName="Orders" suggestions={["Which are late?"]} />
      </AssistantProvider>
    </main>,
  );
  if (states[state]?.questions?.some(({ from }) => from === "run"))
    await screen.findByRole("group", { name: "Waiting for you" });
  if (states[state]?.queue) await screen.findByRole("group", { name: "Waiting messages" });
  for (const button of document.querySelectorAll<HTMLElement>(".ps-tray [aria-expanded=false]")) button.click();
  const { violations } = await axe.run(document, {
    rules: {
      ...Object.fromEntries(drawn.map((id) => [id, { enabled: false }])),
      "landmark-complementary-is-top-level": { enabled: false },
    },
  });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
});
