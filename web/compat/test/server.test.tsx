// @vitest-environment node
import {
  AssistantPlugin,
  AssistantProvider,
  useAssistant,
  useAssistantAction,
  useAssistantAdditionalContext,
  useAssistantPrompts,
  useAssistantState,
  useAssistantSuggestions,
  useDynamicContext,
  usePageContext,
  useSuggestions,
  useTextSelection,
} from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";

function Page() {
  usePageContext();
  useAssistantAdditionalContext({ instructions: "x" });
  useAssistantPrompts().registerCommands([{ command: "/x", description: "x", prompt: "x" }]);
  useAssistantState("/a");
  useAssistantSuggestions({ instructions: "x" });
  useSuggestions();
  useTextSelection();
  useDynamicContext({ description: "x", value: 1 });
  useAssistantAction({ name: "t", description: "", handler: () => 1 });
  return <p>{useAssistant().status}</p>;
}

it("renders on a server, all hooks and the tray, without a warning or a request", () => {
  expect(typeof document).toBe("undefined");
  const fetch = vi.fn();
  const errors = vi.spyOn(console, "error");
  const html = renderToString(
    <AssistantProvider fetch={fetch}>
      <AssistantPlugin id="p" name="P">
        <Page />
      </AssistantPlugin>
      <AssistantTray pageName="Orders" suggestions={["Which are late?"]} />
    </AssistantProvider>,
  );
  expect(html).toMatch(/^<p>idle<\/p><div class="ps-root"/);
  expect(errors.mock.calls).toEqual([]);
  expect(fetch).not.toHaveBeenCalled();
});
