// @vitest-environment node
import { AssistantProvider, usePageContext } from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";

function Page() {
  usePageContext({ page: "orders" });
  return <h1>Orders</h1>;
}

it("renders on a server, tray and all, without a warning or a request", () => {
  expect(typeof document).toBe("undefined");
  const fetch = vi.fn();
  const errors = vi.spyOn(console, "error");
  const html = renderToString(
    <AssistantProvider fetch={fetch}>
      <Page />
      <AssistantTray pageName="Orders" suggestions={["Which are late?"]} />
    </AssistantProvider>,
  );
  expect(html).toContain("<h1>Orders</h1>");
  expect(html).toContain("ps-root");
  expect(errors.mock.calls).toEqual([]);
  expect(fetch).not.toHaveBeenCalled();
});
