import { expect, it, vi } from "vitest";
import { auditView } from "./audit.ts";

const page = {
  records: [
    {
      seq: 2,
      hash: "ab",
      entry: { time: "2026-11-22T10:00:00Z", kind: "tool.call", subject: "<b>ann</b>", tool: "wipe", outcome: "ok" },
    },
    { seq: 1, hash: "cd", entry: "not JSON" },
  ],
  next: "2026-11-22.1",
};

/** Answers requests in the order of their addresses' beginnings, and keeps the addresses. */
function serve(answers: Record<string, unknown>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    const found = Object.entries(answers).find(([start]) => path.startsWith(start));
    return Promise.resolve(
      found ? Response.json(found[1]) : Response.json({ error: { message: "you may not" } }, { status: 403 }),
    );
  });
  return asked;
}

const button = (view: HTMLElement, name: string) =>
  [...view.querySelectorAll("button")].find(({ textContent }) => textContent === name)!;

it("shows entries as text, their details on demand, and older ones", async () => {
  const asked = serve({ "/v1/audit?": page });
  const view = auditView();
  document.body.append(view);
  await vi.waitFor(() => expect(view.textContent).toContain("<b>ann</b>"));
  expect(view.textContent).toContain("Row 1 cannot be read: not JSON");
  const details = button(view, "Details");
  expect(details.getAttribute("aria-expanded")).toBe("false");
  details.click();
  expect(details.getAttribute("aria-expanded")).toBe("true");
  expect(view.querySelector("tr:not([hidden]) pre")?.textContent).toContain('"hash": "ab"');
  button(view, "Older entries").click();
  await vi.waitFor(() => expect(asked.at(-1)).toContain("cursor=2026-11-22.1"));
});

it("sends the filters", async () => {
  const asked = serve({ "/v1/audit?": page });
  const view = auditView();
  document.body.append(view);
  view.querySelector<HTMLInputElement>("[name=tool]")!.value = " wipe ";
  view.querySelector<HTMLSelectElement>("[name=kind]")!.value = "tool.call";
  button(view, "Show").click();
  await vi.waitFor(() => expect(asked.at(-1)).toBe("/v1/audit?tool=wipe&kind=tool.call&limit=100"));
});

it("says whether the chain holds, where not, and who may not look", async () => {
  const problems = [{ day: "2026-11-22", seq: 7, what: "it was changed" }];
  serve({ "/v1/audit/verify": { state: "changed", rows: 9, sealed: true, problems }, "/v1/audit?": page });
  let view = auditView();
  button(view, "Verify").click();
  await vi.waitFor(() =>
    expect(view.querySelector(".bad[role=status]")?.textContent).toContain("row 7 of 2026-11-22: it was changed"),
  );
  serve({ "/v1/audit/verify": { state: "unanchored", rows: 9, sealed: true, problems: null } });
  button(view, "Verify").click();
  await vi.waitFor(() => expect(view.querySelector(".good[role=status]")?.textContent).toContain("9 rows, sealed"));
  view = auditView();
  await vi.waitFor(() => expect(view.textContent).toContain("you may not"));
});
