import type { PagesideClient, Place } from "@pageside/core";
import { scriptedAgent, frontendCall, text } from "@pageside/testing";
import { createPagesideClient, commandsOf } from "@pageside/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fill as fillIn, submit as submitIn } from "../src/attributes/fill.js";
import { observe } from "../src/attributes/observe.js";
import { readElement as readIn } from "../src/attributes/read.js";
import { Roots } from "../src/attributes/roots.js";
import { schemaOf as schemaIn } from "../src/attributes/schema.js";
import { createList } from "../../react/src/ui/list.js";
import type { Page } from "../src/page.js";

const everywhere = new Roots("html");
const readElement = (element: Element) => readIn(element, everywhere);
const schemaOf = (form: Element) => schemaIn(form, everywhere);
const fill = (form: Element, args: Record<string, unknown>) => fillIn(form, args, everywhere);
const submit = (form: HTMLFormElement) => submitIn(form, everywhere);

function pageWith(client: PagesideClient): Page {
  const settings = { url: "https://test", agent: "default", user: "" };
  return {
    client,
    settings,
    defaults: undefined,
    roots: everywhere,
    unasked: new Set(),
    suggestions: createList(),
    payloads: createList(),
    clientFor: () => client,
  };
}

const agent = () => scriptedAgent([{ reply: [frontendCall("do_it", {}), text("Done.")] }]);

let client: PagesideClient;
let page: Page;
let stop: (() => void) | undefined;

beforeEach(() => {
  client = createPagesideClient({ url: "https://test", fetch: agent().fetch });
  page = pageWith(client);
});

afterEach(() => {
  stop?.();
  stop = undefined;
  client.destroy();
});

function show(html: string): HTMLElement {
  document.body.innerHTML = html;
  return document.body.firstElementChild as HTMLElement;
}

async function start(html: string): Promise<void> {
  show(html);
  stop = observe(page);
  if (html.includes("data-pageside-tool")) await vi.waitFor(() => expect(client.getTools()).not.toEqual([]));
}

const later = () => new Promise((resolve) => setTimeout(resolve, 80));

describe("what an element says", () => {
  it("is a table's rows under its titles, without what is redacted or hidden", () => {
    const table = show(`<table>
      <thead><tr><th>Order</th><th>Total</th><th>Total</th><th data-pageside-redact>Card</th></tr></thead>
      <tbody>
        <tr><td> 17 </td><td data-pageside-value="12.5">€ 12,50</td><td>9</td><td data-pageside-redact>4711</td></tr>
        <tr hidden><td>18</td><td>1</td><td>1</td><td>1</td></tr>
        <tr data-pageside-redact><td>19</td><td>1</td><td>1</td><td>1</td></tr>
      </tbody></table>`);
    expect(readElement(table)).toEqual([{ Order: "17", Total: 12.5, "Total 2": "9" }]);
  });

  it("is a table's rows by position where it has no titles", () => {
    expect(readElement(show("<table><tr><td>a</td><td>b</td></tr></table>"))).toEqual([
      { "column 1": "a", "column 2": "b" },
    ]);
  });

  it("is a form's fields, without secrets", () => {
    const form = show(`<form>
      <input name="name" value="Ada"><input type="password" name="pass" value="p"><input type="hidden" name="csrf" value="t">
      <input name="card" autocomplete="cc-number" value="4711"><input type="file" name="file">
      <input name="note" data-pageside-redact value="n"><label data-pageside-redact><input name="inner" value="i"></label>
      <input type="checkbox" name="gift" checked><input type="checkbox" name="size" value="s" checked><input type="checkbox" name="size" value="m">
      <input type="radio" name="pay" value="now"><input type="radio" name="pay" value="later">
      <select name="tags" multiple><option selected>a</option><option>b</option><option selected>c</option></select>
      <textarea name="text">hello</textarea></form>`);
    expect(readElement(form)).toEqual({
      name: "Ada",
      gift: true,
      size: ["s"],
      pay: null,
      tags: ["a", "c"],
      text: "hello",
    });
  });

  it("is what data-pageside-value says, as JSON or as it is", () => {
    expect(readElement(show(`<p data-pageside-value='{"id":7}'>seven</p>`))).toEqual({ id: 7 });
    expect(readElement(show(`<p data-pageside-value="seven {">7</p>`))).toBe("seven {");
  });

  it("is its words, line by line, without scripts, styles and what is hidden", () => {
    const section = show(`<section><h2>Order  17</h2><script>secret()</script><style>p{}</style>
      <p>Two <b>bold</b>
      words</p><p hidden>no</p><p aria-hidden="true">no</p><ul><li>one</li><li>two</li></ul>
      <label>Name <input name="n" value="Ada"></label><input type="password" value="pw"></section>`);
    expect(readElement(section)).toBe("Order 17\nTwo bold words\none\ntwo\nName Ada");
  });
});

describe("what a form takes", () => {
  it("is a schema of its fields: types, choices, limits, words", () => {
    const form = show(`<form>
      <label>Customer <input name="customer" required minlength="2" maxlength="40"></label>
      <label>Count <input type="number" name="count" min="1" max="9"></label>
      <label>Weight <input type="number" name="weight" step="0.1"></label>
      <label>Since <input type="date" name="since" min="2026-01-01"></label>
      <input type="checkbox" name="gift" aria-label="As a gift" required>
      <fieldset><legend>Pay</legend><label><input type="radio" name="pay" value="n" required>Now</label><label><input type="radio" name="pay" value="l">Later</label></fieldset>
      <select name="status" required><option value="">Choose</option><option value="o">Open</option><option disabled>x</option></select>
      <select name="tags" multiple><option>a</option><option>b</option></select>
      <input type="password" name="pass"><input name="fixed" readonly value="1"><input name="off" disabled>
      <input name="card" autocomplete="cc-number"><textarea name="note" placeholder="A note"></textarea>
      <button name="go" value="1">Go</button></form>`);
    expect(schemaOf(form)).toEqual({
      type: "object",
      additionalProperties: false,
      required: ["customer", "pay", "status"],
      properties: {
        customer: { type: "string", minLength: 2, maxLength: 40, description: "Customer" },
        count: { type: "integer", minimum: 1, maximum: 9, description: "Count" },
        weight: { type: "number", description: "Weight" },
        since: {
          type: "string",
          pattern: "^\\d{4}-\\d{2}-\\d{2}$",
          description: "Since (YYYY-MM-DD, from 2026-01-01)",
        },
        gift: { type: "boolean", description: "As a gift" },
        pay: { type: "string", enum: ["n", "l"], description: "Pay (n: Now; l: Later)" },
        status: { type: "string", enum: ["o"], description: "o: Open" },
        tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, uniqueItems: true },
        note: { type: "string", description: "A note" },
      },
    });
  });

  it.each([
    ["date", "2026-11-30", "30.11.2026"],
    ["time", "09:05", "9 o'clock"],
    ["datetime-local", "2026-11-30T09:05:30", "2026-11-30 09:05"],
    ["month", "2026-11", "2026-11-30"],
    ["week", "2026-W48", "2026-48"],
    ["color", "#00ff7F", "green"],
  ])("takes of a field of type %s what a browser takes", (type, value, other) => {
    const { properties } = schemaOf(show(`<form><input type="${type}" name="field"></form>`));
    const { pattern } = (properties as { field: { pattern: string } }).field;
    expect([value, other].filter((each) => new RegExp(pattern).test(each))).toEqual([value]);
  });

  it("is filled in as a person would: every field tells of it, a framework's setter is passed", () => {
    const form =
      show(`<form><input name="customer"><input type="checkbox" name="gift"><input type="radio" name="pay" value="n">
      <input type="radio" name="pay" value="l"><input type="checkbox" name="size" value="s" checked><input type="checkbox" name="size" value="m">
      <select name="tags" multiple><option selected>a</option><option>b</option></select></form>`);
    const seen: string[] = [];
    for (const type of ["input", "change"]) {
      form.addEventListener(type, ({ target }) => seen.push(`${type} ${(target as HTMLInputElement).name}`));
    }
    const setter = vi.fn();
    Object.defineProperty(form.querySelector("input")!, "value", {
      configurable: true,
      set: setter,
      get: () => "framework",
    });
    fill(form, { customer: "Ada", gift: true, pay: "l", size: ["m"], tags: ["b"] });
    expect(setter).not.toHaveBeenCalled();
    delete (form.querySelector("input") as { value?: string }).value;
    expect(readElement(form)).toEqual({ customer: "Ada", gift: true, pay: "l", size: ["m"], tags: ["b"] });
    expect(new Set(seen.filter((each) => each.startsWith("change")))).toEqual(
      new Set(["customer", "gift", "pay", "size", "tags"].map((name) => `change ${name}`)),
    );
    expect(() => fill(form, { nothing: 1 })).toThrow('The form has no field "nothing" now.');
  });

  it("is not submitted where a person could not do it, and the browser's words say why", () => {
    const form = show(`<form><input name="count" type="number" max="3"><button>Go</button></form>`) as HTMLFormElement;
    const sent = vi.fn((event: Event) => event.preventDefault());
    form.addEventListener("submit", sent);
    fill(form, { count: 7 });
    expect(() => submit(form)).toThrow(/The form does not take this\. count: /);
    fill(form, { count: 2 });
    form.querySelector("button")!.disabled = true;
    expect(() => submit(form)).toThrow("its button is disabled");
    expect(sent).not.toHaveBeenCalled();
    form.querySelector("button")!.disabled = false;
    submit(form);
    expect(sent).toHaveBeenCalledTimes(1);
  });
});

describe("a page that declares", () => {
  const place = (): Place | undefined => client.getPlace();

  it("where the user is, part by part, as long as it is on screen", async () => {
    start(
      `<div data-pageside-page="orders" data-pageside-scope-shop="7"><section data-pageside-tab="late" hidden></section></div>`,
    );
    expect(place()).toEqual({ page: "orders", scope: { shop: "7" } });
    document.querySelector("section")!.hidden = false;
    await vi.waitFor(() => expect(place()).toEqual({ page: "orders", tab: "late", scope: { shop: "7" } }));
    document.querySelector("div")!.dataset.pagesidePage = "returns";
    await vi.waitFor(() => expect(place()?.page).toBe("returns"));
    document.body.replaceChildren();
    await vi.waitFor(() => expect(place()).toBeUndefined());
  });

  it("context, read when it is sent, and mentioned only where it says so", async () => {
    start(
      `<p data-pageside-context="Title" id="title">one</p><p data-pageside-context="Draft" data-pageside-label="@draft" data-pageside-auto="false">d</p>`,
    );
    document.querySelector("#title")!.firstChild!.nodeValue = "two";
    expect(client.getContext().map(({ description, value }) => ({ description, value }))).toEqual([
      { description: "Title", value: "two" },
    ]);
    const draft = client.getContextEntries().find(({ label }) => label === "@draft")!;
    expect(client.getContext([draft.id])).toHaveLength(2);
    document.querySelector("#title")!.remove();
    await vi.waitFor(() => expect(client.getContext()).toEqual([]));
  });

  it("tools, whose schema follows the form", async () => {
    await start(`<form data-pageside-tool="find" data-pageside-description="Finds orders"><input name="q"></form>`);
    const names = () => Object.keys(client.getTools()[0]!.parameters.properties as object);
    expect(client.getTools()).toMatchObject([{ name: "find", description: "Finds orders" }]);
    expect(names()).toEqual(["q"]);
    document.querySelector("form")!.insertAdjacentHTML("beforeend", `<input name="since" type="date">`);
    await vi.waitFor(() => expect(names()).toEqual(["q", "since"]));
    document.querySelector("input")!.disabled = true;
    await vi.waitFor(() => expect(names()).toEqual(["since"]));
    document.querySelector("form")!.remove();
    await vi.waitFor(() => expect(client.getTools()).toEqual([]));
  });

  it("a button as a tool: it is pressed, and what the page then shows is the result", async () => {
    await start(`<button data-pageside-tool="do_it" data-pageside-result="#out">Do it</button><p id="out">before</p>`);
    const button = document.querySelector("button")!;
    button.addEventListener("click", () =>
      setTimeout(() => (document.querySelector("#out")!.textContent = "after"), 30),
    );
    await client.send("go");
    const [call] = Object.values(client.getSnapshot().toolCalls);
    expect(call).toMatchObject({ status: "complete", result: "after" });
    expect(sessionStorage.getItem("pageside:departures")).toBe("[]");
  });

  describe("a result that is read once the page has nothing left to do", () => {
    /** Presses a button whose result is `#out`. */
    async function press(pressed: (out: HTMLElement) => void) {
      await start(
        `<button data-pageside-tool="do_it" data-pageside-result="#out">Do it</button><p id="out">before</p>`,
      );
      const out = document.querySelector<HTMLElement>("#out")!;
      document.querySelector("button")!.addEventListener("click", () => {
        pressed(out);
        setTimeout(() => (out.textContent = "much later"), 2_000);
      });
      await client.send("go");
      const [call] = Object.values(client.getSnapshot().toolCalls);
      return call!.result;
    }
    const waiting = new Map<string, () => void>();
    beforeEach(() => {
      waiting.clear();
      vi.stubGlobal("fetch", (url: string) => new Promise<void>((resolve) => waiting.set(url, resolve)));
    });

    it("at once where it already shows what was asked for", async () => {
      const fetches = globalThis.fetch;
      const sends = XMLHttpRequest.prototype.send;
      expect(await press(() => {})).toBe("before");
      expect([globalThis.fetch, XMLHttpRequest.prototype.send]).toEqual([fetches, sends]);
    });

    it("not while a request is under way, even where it has changed before", async () => {
      const result = await press((out) => {
        void fetch("/orders").then(() => (out.textContent = "three orders"));
        out.textContent = "Searching…";
        setTimeout(() => waiting.get("/orders")!(), 900);
      });
      expect(result).toBe("three orders");
    });

    it("not while the assistant alone is asked for something", async () => {
      expect(await press(() => void fetch("https://test/v1/threads"))).toBe("before");
    });

    it("not before what follows a change elsewhere", async () => {
      const result = await press((out) => {
        const page = document.body;
        setTimeout(() => page.setAttribute("data-at", "1"), 400);
        setTimeout(() => (out.textContent = "after"), 900);
      });
      expect(result).toBe("after");
    });
  });

  it("a button that cannot be pressed: the assistant is told why", async () => {
    await start(`<button data-pageside-tool="do_it" disabled>Do it</button>`);
    await client.send("go");
    const [call] = Object.values(client.getSnapshot().toolCalls);
    expect(call).toMatchObject({
      status: "failed",
      error: { message: "The button cannot be pressed now: it is disabled." },
    });
  });

  it("a tool that asks first: nothing happens before the user agrees", async () => {
    await start(`<button data-pageside-tool="do_it" data-pageside-confirm="Really?">Do it</button>`);
    const pressed = vi.fn();
    document.querySelector("button")!.addEventListener("click", pressed);
    const done = client.send("go");
    const asked = () => client.getSnapshot().questions;
    await vi.waitFor(() => expect(asked()).toMatchObject([{ from: "tool", message: "Really?" }]));
    expect(pressed).not.toHaveBeenCalled();
    void client.answer(asked()[0]!.id, { approved: true });
    await done;
    expect(pressed).toHaveBeenCalledTimes(1);
  });

  it("a tool whose work cannot be taken back, as long as it says so", async () => {
    await start(`<button data-pageside-tool="do_it" data-pageside-confirm data-pageside-destructive>Do it</button>
      <button data-pageside-tool="look" data-pageside-confirm>Look</button>`);
    const destructive = () => client.getToolEntries().filter((each) => each.destructive).map(({ name }) => name); // prettier-ignore
    expect(destructive()).toEqual(["do_it"]);
    document.querySelector("button")!.removeAttribute("data-pageside-destructive");
    await vi.waitFor(() => expect(destructive()).toEqual([]));
  });

  it("that a form only looks something up, while it does", async () => {
    await start(`<form data-pageside-tool="filter"><input name="q"></form>
      <form data-pageside-tool="post" method="post"><input name="q"></form>
      <form data-pageside-tool="leave" action="https://elsewhere.example/"><input name="q"></form>
      <form data-pageside-tool="enter"><input name="p" type="password"></form>
      <form data-pageside-tool="asks" data-pageside-confirm><input name="q"></form>
      <form data-pageside-tool="burn" data-pageside-destructive><input name="q"></form>`);
    const effect = (tool: string) =>
      (client.getTools().find(({ name }) => name === tool)?.metadata?.["pageside"] as { effect?: string })?.effect;
    expect(effect("filter")).toBe("read");
    expect(["post", "leave", "enter", "asks"].map(effect)).toEqual(["write", "write", "write", "write"]);
    expect(effect("burn")).toBe("destructive");
    document.querySelector("form")!.method = "post";
    expect(effect("filter")).toBe("write");
  });

  it("an effect that the script tag alone can take from a tool", async () => {
    page = { ...page, unasked: new Set(["look", "burn"]) };
    await start(`<button data-pageside-tool="do_it" data-pageside-effect="read">Do it</button>
      <button data-pageside-tool="look">Look</button>
      <button data-pageside-tool="burn" data-pageside-destructive>Burn</button>`);
    const effects = client.getTools().map(({ name, metadata }) => [name, metadata?.["pageside"]]);
    expect(Object.fromEntries(effects)).toMatchObject({
      do_it: { effect: "write", foreign: true },
      look: { effect: "read" },
      burn: { effect: "destructive" },
    });
  });

  it("all that is right, where an element says something wrong, and tells of that once", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    show(`
      <button data-pageside-command="not a name!" data-pageside-prompt="x">Wrong</button>
      <p data-pageside-context="Right">words</p>`);
    stop = observe(page);
    expect(client.getContextEntries().map(({ description }) => description)).toEqual(["Right"]);
    document.body.insertAdjacentHTML("beforeend", `<p data-pageside-context="Later">words</p>`);
    await vi.waitFor(() => expect(client.getContextEntries()).toHaveLength(2));
    expect(warn).toHaveBeenCalledOnce();
  });

  it("suggestions and commands", async () => {
    await start(`<ul><li data-pageside-suggestion>Which are late?</li><li data-pageside-suggestion="Sum up">x</li></ul>
      <button data-pageside-command="/reload" data-pageside-description="Loads again">Reload</button>
      <a data-pageside-command="late" data-pageside-prompt="Show the late ones">Late</a>`);
    expect(page.suggestions.all()).toEqual(["Which are late?", "Sum up"]);
    const commands = commandsOf(client);
    expect(commands.find("/late")).toMatchObject({ description: "Late", prompt: "Show the late ones" });
    const clicked = vi.fn();
    document.querySelector("button")!.addEventListener("click", clicked);
    expect(commands.find("/reload")!.description).toBe("Loads again");
    await commands.find("/reload")!.handler!("");
    expect(clicked).toHaveBeenCalledTimes(1);
    document.querySelector("ul")!.remove();
    await vi.waitFor(() => expect(page.suggestions.all()).toEqual([]));
  });

  it("is not read again for what the page does for itself", async () => {
    await start(`<p data-pageside-context="Title">one</p><div id="busy"></div>`);
    const search = vi.spyOn(document, "querySelectorAll");
    for (let change = 0; change < 50; change++) document.querySelector("#busy")!.append(document.createElement("i"));
    await later();
    expect(search).not.toHaveBeenCalled();
  });
});
