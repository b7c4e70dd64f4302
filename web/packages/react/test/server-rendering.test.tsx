// @vitest-environment node
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";
import {
  AssistantProvider,
  useAssistant,
  useAssistantAction,
  useDynamicContext,
  usePageContext,
} from "../src/index.js";

it("renders on a server", () => {
  expect(typeof document).toBe("undefined");
  const fetch = vi.fn();
  const errors = vi.spyOn(console, "error");
  function Everything() {
    usePageContext();
    useDynamicContext({ description: "x", value: 1 });
    useAssistantAction({ name: "t", description: "", handler: () => 1 });
    return <p>{useAssistant().status}</p>;
  }
  const html = renderToString(<AssistantProvider fetch={fetch}><Everything /></AssistantProvider>); // prettier-ignore
  expect(html).toBe("<p>idle</p>");
  expect(errors).not.toHaveBeenCalled();
  expect(fetch).not.toHaveBeenCalled();
});
