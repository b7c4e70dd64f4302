// @vitest-environment node
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
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
} from "../src/index.js";

it("renders on a server", () => {
  expect(typeof document).toBe("undefined");
  const fetch = vi.fn();
  const errors = vi.spyOn(console, "error");
  function Everything() {
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
  const html = renderToString(<AssistantProvider fetch={fetch}><AssistantPlugin id="p" name="P"><Everything /></AssistantPlugin></AssistantProvider>); // prettier-ignore
  expect(html).toBe("<p>idle</p>");
  expect(errors).not.toHaveBeenCalled();
  expect(fetch).not.toHaveBeenCalled();
});
