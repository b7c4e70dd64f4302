import { afterEach, expect, it, vi } from "vitest";
import { keepToken } from "./session.ts";

const run = {
  id: "r1",
  threadId: "t1",
  agent: "default",
  subject: "ann",
  model: "test/m",
  place: {},
  question: "Why is it slow?",
  status: "done",
  beganAt: "2026-11-22T10:00:00Z",
  endedAt: "2026-11-22T10:00:01Z",
  steps: 1,
  calls: 0,
  toolNames: [],
  usage: { prompt: 1, input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
  withheld: [],
  sections: [],
  tools: [],
  context: [],
  modelCalls: [],
  toolCalls: [],
};

afterEach(() => {
  vi.resetModules();
  location.hash = "";
});

/** A server that knows one token. It keeps the requests that carried it, and those that did not. */
function serve(token: string, without: string[] = []) {
  const seen = { signed: [] as string[], unsigned: [] as string[] };
  const answer = (path: string) => {
    if (without.some((start) => path.startsWith(start))) {
      return Response.json({ error: { code: "not_found", message: "there is nothing" } }, { status: 404 });
    }
    if (path.endsWith("/report")) return new Response("name: report");
    if (path.startsWith("/v1/inspector/runs/")) return Response.json(run);
    if (path.startsWith("/v1/audit")) return Response.json({ records: [] });
    return Response.json({ runs: [run] });
  };
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    const signed = new Headers(init.headers).get("Authorization") === `Bearer ${token}`;
    seen[signed ? "signed" : "unsigned"].push(path);
    return Promise.resolve(
      signed ? answer(path) : Response.json({ error: { code: "unauthenticated" } }, { status: 401 }),
    );
  });
  return seen;
}

const form = () => document.querySelector<HTMLFormElement>('form[aria-label="Sign in"]');
const named = (name: string) =>
  [...document.querySelectorAll<HTMLElement>("button, a")].find(({ textContent }) => textContent === name)!;

function type(token: string) {
  form()!.querySelector("input")!.value = token;
  form()!.requestSubmit();
}

it("asks for a token, sends it with every request, and keeps it in the tab", async () => {
  const seen = serve("good");
  await import("./main.ts");
  await vi.waitFor(() => expect(form()).not.toBeNull());
  expect(document.body.textContent).not.toContain("Why is it slow?");
  type("bad");
  await vi.waitFor(() => expect(seen.unsigned.length).toBeGreaterThan(1));
  await vi.waitFor(() => expect(form()?.textContent).toContain("not valid"));
  expect(sessionStorage).toHaveLength(0);
  type(" good ");
  await vi.waitFor(() => expect(named("Download report")).toBeDefined());
  expect(form()).toBeNull();
  expect(Object.values({ ...sessionStorage })).toEqual(["good"]);
  expect(localStorage).toHaveLength(0);

  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => "blob:x", revokeObjectURL: () => undefined }));
  named("Download report").click();
  await vi.waitFor(() => expect(seen.signed).toContain("/v1/inspector/runs/r1/report"));
  expect(seen.unsigned).not.toContain("/v1/inspector/runs/r1/report");

  named("Audit log").click();
  await vi.waitFor(() => expect(seen.signed.some((path) => path.startsWith("/v1/audit?"))).toBe(true));

  named("Sign out").click();
  await vi.waitFor(() => expect(form()).not.toBeNull());
  expect(sessionStorage).toHaveLength(0);
  expect(document.body.textContent).not.toContain("Why is it slow?");
});

it("keeps the token through a reload", async () => {
  const seen = serve("good");
  keepToken("good");
  await import("./main.ts");
  await vi.waitFor(() => expect(document.body.textContent).toContain("Why is it slow?"));
  expect(seen.unsigned).toEqual([]);
});

it("shows the audit log alone where no runs are kept", async () => {
  const seen = serve("good", ["/v1/inspector"]);
  keepToken("good");
  await import("./main.ts");
  await vi.waitFor(() => expect(seen.signed.some((path) => path.startsWith("/v1/audit?"))).toBe(true));
  expect(named("Runs")?.hidden ?? true).toBe(true);
});
