import { createPagesideClient } from "@pageside/core";
import { scriptedAgent, frontendCall, text } from "@pageside/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { observe } from "../src/attributes/observe.js";
import { readElement } from "../src/attributes/read.js";
import { Roots } from "../src/attributes/roots.js";
import { mustAsk } from "../src/attributes/sending.js";
import { brief } from "../src/attributes/words.js";
import { createList } from "../../react/src/ui/list.js";

let warn: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});

afterEach(() => {
  for (const each of [document.documentElement, document.body]) each.removeAttribute("data-pageside-root");
});

const PAGE = `
  <header id="top"><form class="own"><input></form></header>
  <main><form class="own"><b><input></b></form><div data-pageside-ignore><main data-pageside-root=""><form class="own"></form></main></div></main>
  <section><header id="top"><form class="own"></form></header><main data-pageside-root=""><form class="own"></form></main></section>`;

/** The paths of the elements that are covered, from the body on. */
function coveredBy(paths: string | null, page = PAGE): string[] {
  document.body.innerHTML = page;
  const roots = new Roots(paths);
  return [...document.body.querySelectorAll("form, input")].filter((each) => roots.covers(each)).map(pathOf);
}

function pathOf(element: Element): string {
  const parent = element.parentElement!;
  return parent === document.body ? element.localName : `${pathOf(parent)} ${element.localName}`;
}

describe("roots", () => {
  it("are nowhere, where the tag names none", () => {
    expect(coveredBy(null)).toEqual([]);
    expect(coveredBy("  ")).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    ["body > header", ["header form", "header form input"]],
    [
      "body>header , html > body > main > form.own",
      ["header form", "header form input", "main form", "main form b input"],
    ],
    ["body > main > form > b", ["main form b input"]],
    ["body > header#top > form.own", ["header form", "header form input"]],
    ["body > main > div > main", []], // what is ignored stays so
    ["body > div", []],
  ])("are what stands at the path %s", (paths, expected) => {
    expect(coveredBy(paths)).toEqual(expected);
    expect(warn).not.toHaveBeenCalled();
  });

  it("are the whole page, but for what is ignored", () => {
    const all = ["header form", "header form input", "main form", "main form b input"];
    const section = ["section header form", "section main form"];
    expect(coveredBy("html")).toEqual([...all, ...section]);
    expect(coveredBy("body")).toEqual([...all, ...section]);
  });

  it.each([
    "#top",
    "main",
    "header form",
    ".own",
    "[data-pageside-root]",
    "body main",
    "body > main form",
    "body > ",
    "body > [",
    "bodyx > main",
    "*",
  ])("are not named by %s, which users may write as well, and the console says so", (paths) => {
    expect(coveredBy(paths)).toEqual([]);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(`data-roots: "${paths.trim()}" is no path`));
  });

  it("are the rest of the paths, where one is wrong", () => {
    expect(coveredBy("#top, body > header")).toEqual(["header form", "header form input"]);
    expect(warn).toHaveBeenCalledOnce();
  });

  it("are named by an attribute on html, body and the children of body alone", () => {
    for (const each of [document.documentElement, document.body]) {
      each.setAttribute("data-pageside-root", "");
      expect(coveredBy(null)).toHaveLength(6);
      each.removeAttribute("data-pageside-root");
    }
    const marked = PAGE.replace("<header", '<header data-pageside-root=""');
    expect(coveredBy(null, marked)).toEqual(["header form", "header form input"]);
    expect(coveredBy(null)).toEqual([]);
  });

  it("cover nothing outside of the document", () => {
    const html = document.implementation.createHTMLDocument().documentElement;
    expect(new Roots("html").covers(html)).toBe(false);
    expect(new Roots("html").covers(document.createElement("p"))).toBe(false);
  });
});

describe("what is ignored or redacted", () => {
  it("is not read, in a root or not, wherever the reading begins", () => {
    document.body.innerHTML = `
      <section><p>seen</p><p data-pageside-ignore>users <b data-pageside-value="1">words</b></p></section>
      <div data-pageside-redact><p id="inner" data-pageside-value="secret">secret</p><table><tr><td>secret</td></tr></table></div>`;
    const roots = new Roots("html");
    const read = (selector: string) => readElement(document.querySelector(selector)!, roots);
    expect(read("section")).toBe("seen");
    for (const selector of ["#inner", "table", "[data-pageside-ignore] b"]) expect(read(selector)).toBeUndefined();
  });
});

describe("a tool", () => {
  const page = (roots: Roots) => {
    const agent = scriptedAgent([{ reply: [frontendCall("do_it", {}), text("Done.")] }]);
    const client = createPagesideClient({ url: "https://test", fetch: agent.fetch });
    const settings = { url: "https://test", agent: "default", user: "" };
    const lists = { unasked: new Set<string>(), suggestions: createList<string>(), payloads: createList<never>() };
    return { client, settings, defaults: undefined, roots, ...lists, clientFor: () => client };
  };

  it("is not pressed where the page ignores it by then", async () => {
    document.body.innerHTML = `<div><button data-pageside-tool="do_it" data-pageside-confirm>Do it</button></div>`;
    const made = page(new Roots("html"));
    const stop = observe(made);
    await vi.waitFor(() => expect(made.client.getTools()).not.toEqual([]));
    const pressed = vi.fn();
    document.querySelector("button")!.addEventListener("click", pressed);
    const done = made.client.send("go");
    const call = () => Object.values(made.client.getSnapshot().toolCalls)[0];
    await vi.waitFor(() => expect(made.client.getSnapshot().questions).toHaveLength(1));
    document.querySelector("div")!.setAttribute("data-pageside-ignore", "");
    void made.client.answer(made.client.getSnapshot().questions[0]!.id, { approved: true });
    await done;
    expect(pressed).not.toHaveBeenCalled();
    expect(call()?.status).toBe("failed");
    stop();
    made.client.destroy();
  });

  it("says what it does as a person would read it, and not at any length", async () => {
    const hidden = "Shows\u200b \u202eorders\u202c\u{e0041}\u0007";
    document.body.innerHTML = `<form data-pageside-tool="fi\u200bnd"><label>Na\u00adme <input name="n"></label></form>`;
    const form = document.querySelector("form")!;
    form.setAttribute("data-pageside-description", hidden);
    const made = page(new Roots("html"));
    const stop = observe(made);
    await vi.waitFor(() =>
      expect(made.client.getTools()).toMatchObject([{ name: "find", description: "Shows orders" }]),
    );
    expect(made.client.getTools()[0]!.parameters.properties).toMatchObject({ n: { description: "Name" } });
    form.setAttribute("data-pageside-description", "ä".repeat(300_000));
    await vi.waitFor(() => expect(made.client.getTools()[0]!.description).toHaveLength(1023));
    stop();
    made.client.destroy();
  });
});

describe("a name or description", () => {
  it.each([
    ["a\u200bb\u2066c\u{e0001}", "abc"],
    ["one\ntwo\tthree", "one\ntwo\tthree"],
    ["\u2764\ufe0f", "\u2764\ufe0f"],
    ["x".repeat(2048), "x".repeat(2048)],
    ["x".repeat(2049), `${"x".repeat(2045)}…`],
  ])("%j is %j", (given, expected) => expect(brief(given)).toBe(expected));
});

describe("the user is asked", () => {
  const asks = (html: string, selector = "[data-pageside-tool]") => {
    document.body.innerHTML = html;
    return mustAsk(document.querySelector<HTMLElement>(selector)!, new Roots("html"));
  };

  it.each([
    [`<form data-pageside-tool="t" method="post"></form>`, true],
    [`<form data-pageside-tool="t" method="POST"><button>Go</button></form>`, true],
    [`<form data-pageside-tool="t" action="/elsewhere"></form>`, true],
    [`<form data-pageside-tool="t" action="https://a.example/"></form>`, true],
    [`<form data-pageside-tool="t" action="mailto:a@a.example"></form>`, true],
    [`<form data-pageside-tool="t"><button>Go</button><input type="submit" formmethod="post"></form>`, true],
    [`<form data-pageside-tool="t" id="f"></form><button form="f" formaction="/elsewhere">Go</button>`, true],
    [`<form data-pageside-tool="t"><button formaction="http://[">Go</button></form>`, true],
    [`<form data-pageside-tool="t" method="post"><input name="method" value="get"></form>`, true],
    [`<form method="post"><button data-pageside-tool="t">Go</button></form>`, true],
    [`<form method="post"><button><b data-pageside-tool="t">Go</b></button></form>`, true],
    [`<form method="post"><label data-pageside-tool="t">Go <input type="submit"></label></form>`, true],
    [`<form data-pageside-tool="t"><input type="password" name="p"></form>`, true],
    [`<form data-pageside-tool="t"><input type="file" name="f"></form>`, true],
    [`<form data-pageside-tool="t"><input name="c" autocomplete="cc-number"></form>`, true],
    [`<form data-pageside-tool="t" id="f"></form><p data-pageside-ignore><input form="f" type="password"></p>`, true],
    [`<form><button data-pageside-tool="t">Go</button><input type="password"></form>`, true],
    [`<form data-pageside-tool="t"></form>`, false],
    [`<form data-pageside-tool="t" action="?a=b"><button>Go</button></form>`, false],
    [`<form data-pageside-tool="t" action="/elsewhere"><button formaction="">Go</button></form>`, false],
    [`<form data-pageside-tool="t" method="dialog" action="/elsewhere"></form>`, false],
    [`<form data-pageside-tool="t" method="post"><button formmethod="get">Go</button></form>`, false],
    [`<form method="post"><button type="button" data-pageside-tool="t">Go</button></form>`, false],
    [`<button data-pageside-tool="t">Go</button>`, false],
  ])("%s: %j", (html, expected) => expect(asks(html)).toBe(expected));
});
