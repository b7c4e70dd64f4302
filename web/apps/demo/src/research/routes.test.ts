import { describe, expect, it } from "vitest";
import { parseRoute, paths, readSelected, searchOf, type Route } from "./routes.ts";

describe("routes", () => {
  const known: [string, Route][] = [
    ["/research", { page: "streams" }],
    ["/research/", { page: "streams" }],
    [paths.streams(), { page: "streams" }],
    ["/research/streams/7", { page: "stream", id: "7", tab: "semantic", workbench: false }],
    [paths.stream("7", "retrieval"), { page: "stream", id: "7", tab: "retrieval", workbench: false }],
    [paths.stream("7", "execute"), { page: "stream", id: "7", tab: "execute", workbench: false }],
    [paths.stream("7", "execute", true), { page: "stream", id: "7", tab: "execute", workbench: true }],
    [paths.stream("a/b ?", "semantic"), { page: "stream", id: "a/b ?", tab: "semantic", workbench: false }],
    [paths.reports(["1", "2"]), { page: "reports" }],
    [paths.report("3"), { page: "report", id: "3", tab: "articles" }],
    [paths.report("3", "analysis"), { page: "report", id: "3", tab: "analysis" }],
    [paths.article("401"), { page: "article", pmid: "401" }],
    [paths.trials("?condition=aml"), { page: "trials" }],
  ];
  it.each(known)("%s is known", (href, route) => expect(parseRoute(href)).toEqual(route));

  it.each([
    "/research/nowhere",
    "/research/streams/1/other",
    "/research/streams/1/semantic/workbench",
    "/research/streams/1/execute/workbench/more",
    "/research/reports/1/other",
    "/research/articles",
    "/research/trials/1",
  ])("%s leads nowhere", (href) => expect(parseRoute(href)).toEqual({ page: "missing" }));

  it("reads what is selected", () => {
    expect(readSelected(searchOf(paths.reports(["3", "2"])))).toEqual(["3", "2"]);
    expect(readSelected("")).toEqual([]);
  });

  it("reads broken escapes as they stand", () =>
    expect(parseRoute("/research/articles/%E0%A4%A")).toEqual({ page: "article", pmid: "%E0%A4%A" }));
});
