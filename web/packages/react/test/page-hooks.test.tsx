import { act, render, screen, waitFor } from "@testing-library/react";
import { useEffect, useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonSchema } from "@pageside/core";
import * as v from "valibot";
import { z } from "zod";
import {
  AssistantPlugin,
  AssistantProvider,
  commandsOf,
  pluginsOf,
  useAssistant,
  useAssistantAction,
  useAssistantAdditionalContext,
  useAssistantPrompts,
  useAssistantState,
  useChatSuggestions,
  useDynamicContext,
  usePageContext,
  useSuggestions,
  useTextSelection,
  type SlashCommand,
} from "../src/index.js";
import { decodeRison } from "@pageside/context-provider/rison";
import { uiActionsOf } from "@pageside/context-provider/ui-actions";
import { answer, calls } from "../../core/test/events.js";
import { json } from "../../core/test/server.js";
import { openPage } from "./page.js";

let { server, client, Page, mount } = {} as ReturnType<typeof openPage>;
beforeEach(() => {
  ({ server, client, Page, mount } = openPage());
});

const rest = (milliseconds = 60) => act(() => new Promise((resolve) => setTimeout(resolve, milliseconds)));
const send = (text = "go") => act(() => client.send(text));
const value = (index = 0) => JSON.parse(client.getContext()[index]!.value) as unknown;

describe("usePageContext", () => {
  it("keeps credentials of the address to itself", () => {
    const names = ["token", "access_token", "refreshToken", "code", "state", "sig", "X-Amz-Signature", "password", "apiKey", "key", "session_id"]; // prettier-ignore
    const open = ["q", "size", "keyword", "status", "encoder", "zipcode"];
    const query = [...names, ...open].map((name) => `${name}=v`).join("&");
    window.history.replaceState(null, "", `/a?${query}&next=eyJhbGciOi.eyJzdWIi.x#access_token=secret&id=1`);
    mount(() => usePageContext());
    const { parameters } = value() as { parameters: Record<string, string> };
    const hidden = Object.keys(parameters).filter((name) => parameters[name] === "[hidden]");
    expect(hidden.sort()).toEqual([...names, "next"].sort());
    expect(client.getContext()[0]!.value).not.toContain("secret");
    expect(parameters.id).toBe("1");
  });

  it("keeps those in addresses within the address, and those in its path", () => {
    const back = encodeURIComponent("https://b.test/cb?a=1&access_token=secret#id_token=secret&z=2");
    window.history.replaceState(
      null,
      "",
      `/reset/eyJhbGciOi.eyJzdWIi.x/done?back=${back}#/open/eyJhbGciOi.eyJzdWIi.x?q=1`,
    );
    mount(() => usePageContext());
    expect(value()).toEqual({
      path: "/reset/[hidden]/done",
      hash: "#/open/[hidden]",
      parameters: { back: "https://b.test/cb?a=1&access_token=[hidden]#id_token=[hidden]&z=2", q: "1" },
    });
  });

  it("decodes first, where it is told how", () => {
    window.history.replaceState(null, "", "/app#/discover?_a=(query:(query:'a!'b'))&n=1");
    mount(() => usePageContext({ description: "D", decode: decodeRison, convert: ({ _a, n }) => ({ _a, n }) }));
    expect(value()).toEqual({ _a: { query: { query: "a'b" } }, n: "1" });
  });

  it("leaves only itself out where convert fails", () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    mount(() => {
      usePageContext("D", () => { throw new Error("no"); }); // prettier-ignore
      useDynamicContext({ description: "x", value: 1 });
    });
    expect(client.getContext().map(({ description }) => description)).toEqual(["x"]);
  });

  it("tells of navigation once a frame, and puts the history back", async () => {
    const { pushState } = window.history;
    const heard = vi.fn();
    uiActionsOf(client).addTriggerAction("context-updated", { execute: heard });
    const { unmount } = mount(() => usePageContext());
    await waitFor(() => expect(window.history.pushState).not.toBe(pushState));
    await waitFor(() => expect(heard).toHaveBeenCalled()); // what runs actions is loaded
    await rest();
    heard.mockClear();
    window.history.pushState(null, "", "/one");
    window.history.replaceState(null, "", "/two");
    window.history.replaceState({ only: "state" }, "");
    await waitFor(() => expect(heard).toHaveBeenCalled());
    await rest();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(heard.mock.calls)).toContain("/two");
    unmount();
    expect(window.history.pushState).toBe(pushState);
  });
});

describe("useDynamicContext", () => {
  const later = Promise.resolve(1);

  /** Tells 40 rows. */
  const tell = (shape: { redact?: string[]; budget?: number; items?: unknown[] }) => {
    const rows = Array.from({ length: 40 }, (_, id) => ({ id, email: `${id}@x` }));
    mount(() => useDynamicContext({ description: "rows", value: rows, label: "@rows", ...shape }));
  };

  it("cuts whole items and says so", async () => {
    tell({ budget: 50, items: [] });
    const [list, more] = await waitFor(() => {
      const lines = client.getContext()[0]!.value.split("\n");
      expect(lines).toHaveLength(2);
      return lines;
    });
    const shown = JSON.parse(list!) as unknown[];
    expect(list!.length).toBeLessThanOrEqual(200);
    expect(more).toBe(`…and ${40 - shown.length} more of 40: call retrieve_items with source "@rows"`);
  });

  it.each([
    ["names", { redact: ["email"] }],
    ["a function", { redact: () => later as unknown }],
    ["a budget", { budget: 1 }],
  ] as const)("leaves out what waits for a promise, with %s", async (_, shape) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    mount(() => useDynamicContext({ description: "rows", value: { text: "long enough to be cut", later }, ...shape }));
    server.onRun(answer("a"));
    await client.send("Hi");
    expect(server.inputs[0]!.context).toEqual([]);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('"rows"'), expect.any(TypeError));
  });

  it("redacts at once", () => {
    tell({ redact: ["Email"] });
    expect(value()).toContainEqual({ id: 0, email: "[hidden]" });
  });

  it("tells nothing redacted, not even of single items", async () => {
    server.onRun(calls(["c1", "retrieve_items"])).onRun(answer("ok"));
    tell({ redact: ["email"], items: [{ id: 1, email: "a@x" }] });
    await send();
    expect(server.inputs).toHaveLength(2);
    expect(JSON.stringify(server.inputs)).not.toContain("@x");
    expect(JSON.stringify(server.inputs[1]!.messages)).toContain("[hidden]");
  });
});

describe("useAssistantAction", () => {
  it("takes schemas of zod: validated, converted, described to the model", async () => {
    server.onRun(calls(["c1", "move", { to: "7" }], ["c2", "move", { to: 1 }])).onRun(answer("ok"));
    const ran: number[] = [];
    const parameters = z.object({ to: z.string().transform(Number) });
    mount(() => useAssistantAction({ name: "move", description: "", parameters, handler: ({ to }) => ran.push(to) }));
    expect(client.getTools()[0]!.parameters).toMatchObject({ type: "object", properties: { to: { type: "string" } } });
    await send();
    expect(ran).toEqual([7]);
    expect(JSON.stringify(server.inputs[1]!.messages)).toContain("to: Invalid input");
  });

  it("takes schemas of libraries without JSON Schema, where it is told how", async () => {
    server.onRun(calls(["c1", "t", { n: "x" }])).onRun(answer("ok"));
    const handler = vi.fn();
    const schema = v.object({ n: v.number() });
    const register = (toJsonSchema?: () => JsonSchema) =>
      mount(() => useAssistantAction({ name: "t", description: "", parameters: schema, toJsonSchema, handler }));
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(() => register()).toThrow(/toJsonSchema/);
    errors.mockRestore();
    register(() => ({ type: "object" }));
    expect(client.getTools()).toMatchObject([{ parameters: { type: "object" } }]);
    await send();
    expect(handler).not.toHaveBeenCalled();
  });

  it("asks with the words of the last render", async () => {
    server.onRun(calls(["c1", "t"])).onRun(answer("ok"));
    function Action({ what }: { what: string }) {
      useAssistantAction({ name: "t", description: "", requiresConfirmation: `Delete ${what}?`, handler: () => 1 });
      return null;
    }
    const { rerender } = render(<Page><Action what="a" /></Page>); // prettier-ignore
    rerender(<Page><Action what="b" /></Page>); // prettier-ignore
    const done = client.send("go");
    await waitFor(() =>
      expect(client.getSnapshot().questions).toMatchObject([{ toolCallId: "c1", message: "Delete b?" }]),
    );
    void client.answer(client.getSnapshot().questions[0]!.id, { approved: true });
    await done;
    expect(client.getSnapshot().toolCalls.c1).toMatchObject({ status: "complete", result: 1 });
  });
});

describe("useAssistantPrompts", () => {
  const names = () => commandsOf(client).all().map(({ command, description }) => [command, description]); // prettier-ignore

  it("registers what is registered while rendering once, until it is unmounted", () => {
    const register = vi.spyOn(commandsOf(client), "register");
    const ran: string[] = [];
    let again = () => {};
    function Prompts() {
      const [count, setCount] = useState(0);
      again = () => setCount(count + 1);
      const { registerCommands } = useAssistant();
      const handler = () => void ran.push(String(count));
      registerCommands([{ command: "/a", description: "d", handler }]);
      return null;
    }
    const { unmount } = render(<Page><Prompts /></Page>); // prettier-ignore
    const before = register.mock.calls.length;
    act(() => again());
    expect(register).toHaveBeenCalledTimes(before);
    expect(names()).toEqual([["/a", "d"]]);
    commandsOf(client).find("/a")!.handler!("");
    expect(ran).toEqual(["1"]);
    unmount();
    expect(names()).toEqual([]);
  });

  it("registers in handlers too, and sends", async () => {
    server.onRun(answer("a"));
    const { result, unmount } = mount(useAssistantPrompts);
    await rest(0);
    const command: SlashCommand = { command: "/b", description: "d", prompt: "p" };
    const undo = result.current.registerCommands([command]);
    result.current.registerCommands([{ ...command, command: "/c" }]);
    expect(names()).toHaveLength(2);
    undo();
    expect(names()).toEqual([["/c", "d"]]);
    await act(() => result.current.sendMessage("Hi"));
    expect(server.inputs).toHaveLength(1);
    unmount();
    expect(names()).toEqual([]);
  });
});

it("useAssistantAdditionalContext tells its instructions while they are available, with its plug-in", () => {
  function Told({ available }: { available?: boolean | "true" | "false" }) {
    useAssistantAdditionalContext({ instructions: "Be brief.", available });
    return null;
  }
  const App = (props: { available?: boolean | "true" | "false" }) => (
    <Page>
      <AssistantPlugin id="discover" name="Discover">
        <Told {...props} />
      </AssistantPlugin>
    </Page>
  );
  const { rerender, unmount } = render(<App />);
  expect(client.getInstructions()).toMatchObject([{ text: "Be brief.", source: "discover" }]);
  expect(pluginsOf(client)).toHaveLength(1);
  for (const available of ["false", false] as const) {
    rerender(<App available={available} />);
    expect(client.getInstructions()).toEqual([]);
    rerender(<App available="true" />);
    expect(client.getInstructions()).toHaveLength(1);
  }
  unmount();
  expect(client.getInstructions()).toEqual([]);
  expect(pluginsOf(client)).toEqual([]);
});

describe("useAssistantSuggestions", () => {
  const asked = () => server.requests.filter((request) => request.includes("suggestions"));
  const fails = () => json({ error: { code: "x", message: "x" } }, 500);

  function Suggested({ instructions }: { instructions: string }) {
    useChatSuggestions({ instructions, static: ["Fixed?"] }, [instructions]);
    const { suggestions, isLoading } = useSuggestions();
    return <p>{isLoading ? "…" : suggestions.map(({ label }) => label).join()}</p>;
  }

  it("asks while the tray is open, again after an answer, and not twice for the same page", async () => {
    const bodies: { context: { description: string; value: string }[] }[] = [];
    server.routes.set("/v1/suggestions", ({ body }) => {
      bodies.push(body as (typeof bodies)[0]);
      return json({ suggestions: [{ label: "Made?", value: "Made?" }] });
    });
    server.onRun(answer("a"));
    let assistant: ReturnType<typeof useAssistant>;
    const Toggle = () => ((assistant = useAssistant()), null);
    render(<Page><Toggle /><Suggested instructions="i" /></Page>); // prettier-ignore
    await rest(400);
    expect(asked()).toHaveLength(0);
    act(() => assistant.open());
    await waitFor(() => screen.getByText("Made?"));
    act(() => assistant.close());
    act(() => assistant.open());
    await rest(400);
    expect(asked()).toHaveLength(1);
    await send();
    await waitFor(() => expect(asked()).toHaveLength(2));
    await rest(400);
    const { context } = bodies.at(-1)!;
    expect(context.at(-1)!.description).toBe("The last question and the end of its answer");
    expect(JSON.parse(context.at(-1)!.value)).toMatchObject({ answer: "a" });
    act(() => client.pageChanged());
    await rest(400);
    expect(asked()).toHaveLength(2);
  });

  it("waits for the page to be at rest, and shows the page's own where the server has none", async () => {
    server.routes.set("/v1/suggestions", fails);
    const { rerender } = render(<Page open><Suggested instructions="a" /></Page>); // prettier-ignore
    await waitFor(() => screen.getByText("Fixed?"));
    for (const instructions of ["b", "c", "d"]) rerender(<Page open><Suggested instructions={instructions} /></Page>); // prettier-ignore
    await waitFor(() => expect(asked()).toHaveLength(2));
    await rest(400);
    expect(asked()).toHaveLength(2);
  });

  it("leaves a server alone that asks for it, and shows the page's own meanwhile", async () => {
    const busy = { error: { code: "rate_limited", message: "x" } };
    server.routes.set("/v1/suggestions", () => new Response(JSON.stringify(busy), { status: 429, headers: { "Retry-After": "3600" } })); // prettier-ignore
    const { rerender } = render(<Page open><Suggested instructions="a" /></Page>); // prettier-ignore
    await waitFor(() => screen.getByText("Fixed?"));
    rerender(<Page open><Suggested instructions="b" /></Page>); // prettier-ignore
    await rest(400);
    screen.getByText("Fixed?");
    expect(asked()).toHaveLength(1);
    server.routes.set("/v1/suggestions", () => json({ suggestions: [{ label: "Made?", value: "Made?" }] }));
    const later = Date.now() + 3_600_000;
    vi.spyOn(Date, "now").mockImplementation(() => later);
    rerender(<Page open><Suggested instructions="c" /></Page>); // prettier-ignore
    await waitFor(() => screen.getByText("Made?"));
    expect(asked()).toHaveLength(2);
  });

  it("does not ask again what it is asking already", async () => {
    let give = (_: Response) => {};
    server.routes.set("/v1/suggestions", () => new Promise<Response>((resolve) => (give = resolve)));
    render(<Page open><Suggested instructions="slow" /></Page>); // prettier-ignore
    await waitFor(() => expect(asked()).toHaveLength(1));
    act(() => client.pageChanged());
    await rest(400);
    expect(asked()).toHaveLength(1);
    give(json({ suggestions: [{ label: "Made?", value: "Made?" }] }));
    await waitFor(() => screen.getByText("Made?"));
  });
});

it("useAssistantState reads and writes one place, at once, and renders for nothing else", async () => {
  server.onRun(answer("a"));
  const renders = vi.fn();
  let set: (value: string) => Promise<{ kept: boolean }>;
  function Draft() {
    const [draft, setDraft] = useAssistantState<string | undefined>("/pluginState/a~1b");
    set = setDraft;
    renders();
    return <p>{draft ?? "none"}</p>;
  }
  render(<AssistantProvider client={client}><Draft /></AssistantProvider>); // prettier-ignore
  screen.getByText("none");
  let written: Promise<{ kept: boolean }>;
  act(() => void (written = set("x")));
  screen.getByText("x");
  const before = renders.mock.calls.length;
  await send();
  expect(server.inputs[0]!.state).toEqual({ pluginState: { "a/b": "x" } });
  await expect(written!).resolves.toMatchObject({ kept: true });
  expect(renders).toHaveBeenCalledTimes(before);
});

describe("useTextSelection", () => {
  function Selecting() {
    return (
      <>
        <p>{`[${useTextSelection()}]`}</p>
        <p id="text">Some words</p>
        <input id="password" type="password" defaultValue="secret" />
        <div className="ps-root">
          <p id="own">Own words</p>
          <textarea id="box" />
        </div>
      </>
    );
  }
  const select = (id: string) => {
    const range = document.createRange();
    range.selectNodeContents(document.getElementById(id)!);
    document.getSelection()!.removeAllRanges();
    document.getSelection()!.addRange(range);
  };
  const told = (...values: string[]) =>
    waitFor(() => expect(client.getContext().map((item) => item.value)).toEqual(values));
  /** Nothing else is told when the time to look has come. */
  const stillTold = async (...values: string[]) => {
    await rest(120);
    await told(...values);
  };

  it("tells of what is selected, not in the tray and never a password, until nothing is", async () => {
    const { unmount } = render(<Page><Selecting /></Page>); // prettier-ignore
    await rest();
    select("text");
    await told("Some words");
    expect(client.getContextEntries()).toMatchObject([{ kind: "selection", label: "@selection" }]);
    await screen.findByText("[Some words]");
    select("own");
    await stillTold("Some words");
    document.getElementById("box")!.focus();
    await stillTold("Some words");
    const password = document.getElementById("password") as HTMLInputElement;
    password.focus();
    password.select();
    await told();
    password.blur();
    select("text");
    await told("Some words");
    document.getSelection()!.removeAllRanges();
    await told();
    select("text");
    await told("Some words");
    unmount();
    await told();
  });
});

it("useAssistantState keeps what several components write in one render", async () => {
  server.onRun(answer("a"));
  function Counter({ name }: { name: string }) {
    const [count, setCount] = useAssistantState<number | undefined>(`/counts/${name}`);
    const [, setList] = useAssistantState<string[] | undefined>("/list");
    useEffect(() => {
      void setCount((before) => (before ?? 0) + 1);
      void setList((before) => [...(before ?? []), name]);
    }, [name, setCount, setList]);
    return <p>{`${name}: ${count ?? 0}`}</p>;
  }
  const names = ["a", "b", "c"];
  render(
    <AssistantProvider client={client}>
      {names.map((name) => (
        <Counter key={name} name={name} />
      ))}
    </AssistantProvider>,
  );
  for (const name of names) screen.getByText(`${name}: 1`);
  await send();
  expect(server.inputs[0]!.state).toEqual({ counts: { a: 1, b: 1, c: 1 }, list: names });
});

it("a plug-in's initial state is there for useAssistantState, in StrictMode too", async () => {
  server.onRun(answer("a"));
  function Filters() {
    const [filters, setFilters] = useAssistantState<string[] | undefined>("/pluginState/discover/filters");
    return <button onClick={() => void setFilters((before) => [...(before ?? []), "5xx"])}>{filters?.join()}</button>;
  }
  render(
    <Page>
      <AssistantPlugin id="discover" name="Discover" initialState={{ filters: ["4xx"] }}>
        <Filters />
      </AssistantPlugin>
    </Page>,
  );
  await act(async () => (await screen.findByText("4xx")).click());
  screen.getByText("4xx,5xx");
  await send();
  expect(server.inputs[0]!.state).toEqual({ pluginState: { discover: { filters: ["4xx", "5xx"] } } });
  act(() => client.newThread());
  screen.getByText("4xx");
});
