import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { fakeClient } from "../../../dev/fakeClient.js";
import { AssistantProvider } from "../../provider.js";
import { AssistantTray } from "../AssistantTray.js";

interface Body {
  effectiveDirective: string;
  blockedURL: string;
  originalPolicy?: string;
  disposition?: string;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A tray on a page whose browser has reported these. */
async function show(reports: Body[]) {
  vi.stubGlobal(
    "ReportingObserver",
    class {
      constructor(private readonly take: (reports: unknown[]) => void) {}
      observe() {
        const filled = reports.map((body) => ({ originalPolicy: "", disposition: "enforce", ...body }));
        this.take(filled.map((body) => ({ type: "csp-violation", body })));
      }
      disconnect() {}
    },
  );
  render(
    <AssistantProvider client={fakeClient()} defaultOpen>
      <AssistantTray />
    </AssistantProvider>,
  );
  await act(() => vi.dynamicImportSettled());
}
const notice = () => screen.queryByText(/Content-Security-Policy|serve --pages/)?.textContent;
const api = `${location.origin}/v1/threads`;

it("says what the page's policy blocks of the assistant, and what to add", async () => {
  await show([{ effectiveDirective: "connect-src", blockedURL: api }]);
  await vi.waitFor(() => expect(notice()).toContain("add 'self' to connect-src"));
});

it("says nothing of what the page's policy blocks of the page, or would block", async () => {
  await show([
    { effectiveDirective: "connect-src", blockedURL: "https://elsewhere.test/v1/x" },
    { effectiveDirective: "img-src", blockedURL: `${location.origin}/logo.png` },
    { effectiveDirective: "connect-src", blockedURL: api, disposition: "report" },
  ]);
  expect(notice()).toBeUndefined();
});

it("says each thing once, one after the other", async () => {
  const policy = "object-src 'none'; report-uri /csp-report";
  await show([
    { effectiveDirective: "connect-src", blockedURL: api },
    { effectiveDirective: "connect-src", blockedURL: api },
    { effectiveDirective: "object-src", blockedURL: `${location.origin}/a.svg`, originalPolicy: policy },
  ]);
  await vi.waitFor(() => expect(notice()).toContain("connect-src"));
  fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(notice()).toContain("“pageside serve --pages” blocks /a.svg on this page (object-src)");
  fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(notice()).toBeUndefined();
});
