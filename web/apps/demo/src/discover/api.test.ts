import { describe, expect, it } from "vitest";
import { createCaller, type HttpError } from "../shell/http.ts";
import { createApi } from "./api.ts";
import { requestOf } from "./results.ts";
import { defaultView } from "./view.ts";

const request = requestOf(defaultView);
const answering = (status: number, body: string) => () => Promise.resolve(new Response(body, { status }));
const refused = (fetcher: typeof fetch) =>
  createApi(createCaller("/api", fetcher))
    .query(request)
    .then(
      () => undefined,
      (error: HttpError) => error,
    );

describe("the API client", () => {
  it("sends a query as JSON", async () => {
    const calls: [string, RequestInit][] = [];
    const fetcher = ((url: string, init: RequestInit) => {
      calls.push([url, init]);
      return Promise.resolve(new Response("{}"));
    }) as typeof fetch;
    await createApi(createCaller("/api", fetcher)).query(request);
    const [url, init] = calls[0]!;
    expect([url, init.method]).toEqual(["/api/query", "POST"]);
    expect(JSON.parse(String(init.body))).toEqual(request);
  });

  it("reads where a query is wrong", async () => {
    const body = {
      error: { code: "ppl_error", message: "no", details: { line: 2, column: 3, length: 4, expected: ["by"] } },
    };
    expect(await refused(answering(422, JSON.stringify(body)))).toMatchObject({
      code: "ppl_error",
      message: "no",
      status: 422,
      details: { line: 2, column: 3, length: 4, expected: ["by"] },
    });
  });

  it("reads which field is wrong", async () => {
    const body = { error: { code: "invalid_request", message: "no", details: { field: "filters[0].value" } } };
    expect(await refused(answering(400, JSON.stringify(body)))).toMatchObject({
      details: { field: "filters[0].value" },
    });
  });

  it.each(["<h1>Bad gateway</h1>", "", "null", "[]", '{"error":"x"}'])("survives an answer of %j", async (body) => {
    const error = await refused(answering(502, body));
    expect(error?.message).toContain("502");
    expect(error?.details).toEqual({});
  });

  it("says that the server is away", async () => {
    expect(await refused(() => Promise.reject(new TypeError("fetch failed")))).toMatchObject({ code: "unreachable" });
  });

  it("passes an abort on as it is", async () => {
    const controller = new AbortController();
    controller.abort(new DOMException("gone", "AbortError"));
    const call = createApi(createCaller("/api", () => Promise.reject(controller.signal.reason as Error))).query(
      request,
      controller.signal,
    );
    await expect(call).rejects.toThrow("gone");
  });
});
