import { act, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { fakeClient } from "../../dev/fakeClient.js";
import { AssistantProvider } from "../provider.js";
import { useCodeAction } from "./codeActions.js";
import { highlight } from "./highlight.js";
import { Markdown } from "./Markdown.js";

const code = 'const a = "<img src=x onerror=alert(1)>"; // one';
const fence = `\`\`\`js\n${code}\n\`\`\``;
const pre = () => document.querySelector("pre")!;

it("colours code once its fence is closed, as elements, and changes no character", async () => {
  const { rerender } = render(<Markdown source={`\`\`\`js\n${code}`} streaming />);
  await act(() => import("./highlight.js"));
  expect(pre().querySelector("span")).toBeNull();
  rerender(<Markdown source={`${fence}\n\nafter\n\nmore`} streaming />);
  await waitFor(() => expect(pre().querySelector(".ps-hl-keyword")?.textContent).toBe("const"));
  expect(pre().textContent).toBe(code);
  expect(pre().querySelector("img")).toBeNull();
});

it.each([
  "sql",
  "json",
  "yaml",
  "yml",
  "ts",
  "js",
  "python",
  "py",
  "go",
  "bash",
  "sh",
  "html",
  "css",
  "diff",
  "java",
  "ppl",
])("knows %s", (language) => expect(highlight("select 1", language)).toBeDefined());

it.each(["", "nonsense", "constructor", "__proto__"])("leaves %j plain", (language) => {
  expect(highlight("x", language)).toBeUndefined();
});

it("wraps long lines on demand, and copies", async () => {
  const keys = userEvent.setup();
  render(<Markdown source={fence} />);
  await keys.click(await screen.findByRole("button", { name: "Wrap long lines" }));
  expect(screen.getByRole("button", { name: "Wrap long lines" }).getAttribute("aria-pressed")).toBe("true");
  await keys.click(screen.getByRole("button", { name: "Copy code" }));
  expect(await navigator.clipboard.readText()).toBe(code);
  expect(screen.getByRole("button", { name: "Copied" })).toBeTruthy();
});

it("offers what the page does with code in a language, and shows what went wrong", async () => {
  const keys = userEvent.setup();
  const run = vi.fn();
  function Page() {
    useCodeAction({ label: "Insert", languages: ["js"], run });
    return null;
  }
  const show = (source: string) => (
    <AssistantProvider client={fakeClient()}>
      <Page />
      <Markdown source={source} />
    </AssistantProvider>
  );
  const { rerender } = render(show(fence));
  await keys.click(await screen.findByRole("button", { name: "Insert" }));
  expect(run).toHaveBeenCalledWith(code, "js");
  run.mockRejectedValueOnce(new Error("The editor is closed"));
  await keys.click(screen.getByRole("button", { name: "Insert" }));
  expect((await screen.findByRole("alert")).textContent).toBe("The editor is closed");
  rerender(show("```go\nx\n```"));
  await screen.findByRole("button", { name: "Copy code" });
  expect(screen.queryByRole("button", { name: "Insert" })).toBeNull();
});
