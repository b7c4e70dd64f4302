import { act, render, renderHook, screen } from "@testing-library/react";
import { Activity, StrictMode } from "react";
import { describe, expect, it, vi } from "vitest";
import {
  AssistantProvider,
  useAssistant,
  useAssistantAction,
  useAssistantActions,
  useAssistantSnapshot,
  useDynamicContext,
  usePageContext,
  useToolRenderer,
  type Assistant,
  type PageContext,
  type ToolCallState,
} from "../src/index.js";
import { answer, calls } from "../../core/test/events.js";
import { TestServer } from "../../core/test/server.js";
import { openPage } from "./page.js";

/** As in a browser: React commits when it likes, not when a test says so. */
async function withoutAct(work: () => Promise<void>): Promise<void> {
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  const before = environment.IS_REACT_ACT_ENVIRONMENT;
  environment.IS_REACT_ACT_ENVIRONMENT = false;
  await work();
  // Turns of the event loop, not time: React does its work in some of them.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  environment.IS_REACT_ACT_ENVIRONMENT = before;
}

function setUp() {
  const page = openPage({ strict: false });
  return { ...page, send: (text = "go") => withoutAct(() => page.client.send(text)) };
}

function Action(props: {
  name?: string;
  description?: string;
  handler?: (args: { n: number }) => unknown;
  enabled?: boolean;
  deps?: unknown[];
}) {
  const { name = "t", description = "d", handler = () => "ok", ...rest } = props;
  useAssistantAction<{ n: number }>({ name, description, handler, ...rest });
  return null;
}

const toolNames = (server: TestServer) => server.inputs.map(({ tools }) => tools.map(({ name }) => name));

describe("useAssistantAction", () => {
  it.each([
    ["what it declares", { effect: "read" }, "read"],
    ["that it cannot be undone", { effect: "read", destructive: true }, "destructive"],
    ["nothing, where it declares nothing", {}, undefined],
    ["that others have written it", { effect: "read", foreign: true }, "read"],
  ] as const)("tells the server its effect: %s", (_, declared, effect) => {
    const { client, mount } = setUp();
    mount(() => useAssistantAction({ name: "t", description: "", handler: () => "", ...declared }));
    const foreign = "foreign" in declared && { foreign: true };
    expect(client.getTools()[0]?.metadata).toEqual(effect && { pageside: { effect, ...foreign } });
  });

  it("runs the handler of the last render", async () => {
    const { server, Page, send } = setUp();
    server.onRun(calls(["c1", "t", { n: 1 }])).onRun(answer("ok"));
    const seen: string[] = [];
    const App = ({ version }: { version: string }) => (
      <Page>
        <Action handler={({ n }) => seen.push(`${version} ${n}`)} />
      </Page>
    );
    const { rerender } = render(<App version="old" />);
    rerender(<App version="new" />);
    await send();
    expect(seen).toEqual(["new 1"]);
  });

  it("is gone from the next request when its component is", async () => {
    const { server, Page, send } = setUp();
    server.onRun(answer("a")).onRun(answer("b", "b")).onRun(answer("c", "c"));
    const { rerender } = render(<Page><Action /></Page>); // prettier-ignore
    await send();
    rerender(<Page />);
    await send();
    rerender(<Page><Action enabled={false} /></Page>); // prettier-ignore
    await send();
    expect(toolNames(server)).toEqual([["t"], [], []]);
  });

  it("advertises again when deps change, not with every render", () => {
    const { client, Page } = setUp();
    const register = vi.spyOn(client, "registerTool");
    const App = ({ text, dep }: { text: string; dep: number }) => <Page><Action description={text} deps={[dep]} /></Page>; // prettier-ignore
    const { rerender } = render(<App text="one" dep={1} />);
    rerender(<App text="two" dep={1} />);
    expect(client.getTools()[0]!.description).toBe("one");
    rerender(<App text="two" dep={2} />);
    expect(client.getTools()[0]!.description).toBe("two");
    expect(register).toHaveBeenCalledTimes(2);
  });

  it("keeps its renderer for the history after it is gone, and draws every state", async () => {
    const { server, client, Page, send } = setUp();
    server.onRun(calls(["c1", "t", { n: 4 }])).onRun(answer("ok"));
    function Drawn() {
      useAssistantAction<{ n: number }, number>({
        name: "t",
        description: "",
        handler: ({ n }) => n * 2,
        render: ({ status, args, result, toolCallId }) => <p>{[toolCallId, status, args?.n, result].join(" ")}</p>,
      });
      return null;
    }
    function Calls() {
      const toolCalls = useAssistantSnapshot((thread) => thread.toolCalls);
      return Object.values(toolCalls).map((call) => <Card key={call.id} call={call} />);
    }
    const Card = ({ call }: { call: ToolCallState }) => (
      <div data-testid={call.id}>{useToolRenderer(call.name)?.(call) ?? "plain"}</div>
    );
    const { rerender } = render(<Page><Drawn /><Calls /></Page>); // prettier-ignore
    await send();
    expect(screen.getByTestId("c1").textContent).toBe("c1 complete 4 8");
    rerender(<Page><Calls /></Page>); // prettier-ignore
    expect(screen.getByTestId("c1").textContent).toBe("c1 complete 4 8");
    expect(client.getTools()).toEqual([]);
  });

  it("lets a render answer the question that is open on its call, and no other", async () => {
    const { server, client, Page } = setUp();
    server.onRun(calls(["c1", "t", { n: 4 }])).onRun(answer("ok"));
    function Drawn() {
      useAssistantAction<{ n: number }, number>({
        name: "t",
        description: "",
        requiresConfirmation: true,
        handler: ({ n }) => n * 2,
        render: ({ status, respond }) =>
          respond ? <button onClick={() => respond({ approved: true })}>Yes</button> : status,
      });
      return null;
    }
    const Call = ({ call }: { call: ToolCallState }) => useToolRenderer("t")?.(call);
    const Calls = () => {
      const toolCalls = useAssistantSnapshot((thread) => thread.toolCalls);
      return <output>{Object.values(toolCalls).map((call) => <Call key={call.id} call={call} />)}</output>; // prettier-ignore
    };
    render(<Page><Drawn /><Calls /></Page>); // prettier-ignore
    let sent!: Promise<void>;
    act(() => void (sent = client.send("go")));
    const yes = await screen.findByRole("button", { name: "Yes" });
    await act(async () => {
      yes.click();
      await sent;
    });
    expect(screen.getByRole("status").textContent).toBe("complete");
  });

  it("draws anew when deps change", () => {
    const { Page } = setUp();
    const Probe = () => (
      <output>{useToolRenderer("t")?.({ id: "1", name: "t", status: "complete" } as ToolCallState)}</output>
    );
    function Drawn({ unit }: { unit: string }) {
      useAssistantAction({ name: "t", description: "", render: () => unit, deps: [unit] });
      return null;
    }
    const probe = <Probe />;
    const { rerender } = render(<Page><Drawn unit="ms" />{probe}</Page>); // prettier-ignore
    rerender(<Page><Drawn unit="s" />{probe}</Page>); // prettier-ignore
    expect(screen.getByRole("status").textContent).toBe("s");
  });

  it("draws the calls of a tool it does not offer", () => {
    const { client, Page } = setUp();
    const Probe = () => (
      <output>
        {useToolRenderer("server_tool")?.({ id: "1", name: "server_tool", status: "executing" } as ToolCallState)}
      </output>
    );
    function Drawn() {
      useAssistantAction({
        name: "server_tool",
        description: "",
        available: "disabled",
        render: ({ status }) => status,
      });
      return null;
    }
    render(<Page><Drawn /><Probe /></Page>); // prettier-ignore
    expect(screen.getByRole("status").textContent).toBe("executing");
    expect(client.getTools()).toEqual([]);
  });
});

describe("useDynamicContext", () => {
  it("sends the value of the last render, without registering again", async () => {
    const { server, client, Page, send } = setUp();
    server.onRun(answer("ok"));
    const register = vi.spyOn(client, "registerContext");
    function Rows({ rows }: { rows: number[] }) {
      useDynamicContext({ description: "rows", value: rows, label: "@rows", source: "table" });
      return null;
    }
    const { rerender } = render(<Page><Rows rows={[1]} /></Page>); // prettier-ignore
    rerender(<Page><Rows rows={[1, 2]} /></Page>); // prettier-ignore
    await send();
    expect(server.inputs[0]!.context).toEqual([{ description: "rows", value: "[1,2]" }]);
    expect(server.inputs[0]!.forwardedProps.pageside.context[0]).toMatchObject({
      kind: "dynamic",
      label: "@rows",
      source: "table",
    });
    expect(register).toHaveBeenCalledOnce();
    rerender(<Page />);
    expect(client.getContext()).toEqual([]);
  });

  it("calls a function only when a message is sent, and sends a mentioned value only when it is mentioned", () => {
    const { client, mount } = setUp();
    const value = vi.fn(() => 7);
    mount(() => useDynamicContext({ description: "lazy", value, auto: false, label: "@lazy" }));
    const [entry] = client.getContextEntries();
    expect(entry).toMatchObject({ description: "lazy", label: "@lazy", auto: false });
    expect(client.getContext()).toEqual([]);
    expect(value).not.toHaveBeenCalled();
    expect(client.getContext([entry!.id])).toEqual([{ id: entry!.id, description: "lazy", value: "7" }]);
  });
});

describe("usePageContext", () => {
  function Here(props: { context?: PageContext }) {
    usePageContext(props.context);
    return null;
  }

  it("follows the address however the application navigates", () => {
    const { client, mount } = setUp();
    mount(() => usePageContext());
    const read = () => JSON.parse(client.getContext()[0]!.value) as unknown;
    expect(read()).toEqual({ path: "/" });
    window.history.pushState(null, "", "/logs?q=error&size=10");
    expect(read()).toEqual({ path: "/logs", parameters: { q: "error", size: "10" } });
    window.history.replaceState(null, "", "/app#/discover?_a=(x:1,q:'why?')");
    expect(read()).toEqual({ path: "/app", hash: "#/discover", parameters: { _a: "(x:1,q:'why?')" } });
    window.location.hash = "#/other";
    expect(read()).toEqual({ path: "/app", hash: "#/other" });
  });

  it("converts, in both forms", () => {
    window.history.pushState(null, "", "/?_a=7");
    const { client, mount } = setUp();
    mount(() => {
      usePageContext("Discover", ({ _a }) => ({ a: Number(_a) }));
      usePageContext({ description: "Whole", convert: (_, url) => url.pathname });
    });
    expect(client.getContext()).toMatchObject([
      { description: "Discover", value: '{"a":7}' },
      { description: "Whole", value: "/" },
    ]);
  });

  it("names the place, part by part, and takes its part back", () => {
    const { client, Page } = setUp();
    const App = ({ tab, nested }: { tab: string; nested: boolean }) => (
      <Page>
        <Here context={{ page: "discover", scope: { index: "42" } }} />
        {nested && <Here context={{ tab, subtab: "table", scope: { row: "1" } }} />}
      </Page>
    );
    const { rerender } = render(<App tab="logs" nested />);
    expect(client.getPlace()).toEqual({
      page: "discover",
      tab: "logs",
      subtab: "table",
      scope: { index: "42", row: "1" },
    });
    rerender(<App tab="traces" nested />);
    expect(client.getPlace()!.tab).toBe("traces");
    rerender(<App tab="traces" nested={false} />);
    expect(client.getPlace()).toEqual({ page: "discover", scope: { index: "42" } });
    rerender(<Page />);
    expect(client.getPlace()).toBeUndefined();
  });
});

describe("useAssistant", () => {
  it("sends, shows and opens", async () => {
    const { server, mount } = setUp();
    server.onRun(answer("Hi"));
    const { result } = mount(useAssistant);
    expect(result.current.isOpen).toBe(false);
    act(() => result.current.toggle());
    expect(result.current.isOpen).toBe(true);
    act(() => result.current.close());
    expect(result.current.isOpen).toBe(false);
    await act(() => result.current.sendMessage("Hello"));
    expect(result.current.messages.map(({ content }) => content)).toEqual(["Hello", "Hi"]);
    expect(result.current).toMatchObject({ status: "idle", isRunning: false });
  });

  it("renders a selector's component only when its part changes", async () => {
    const { server, Page, send } = setUp();
    server.onRun(answer("Hi"));
    const renders = { title: 0, actions: 0 };
    const Title = () => {
      renders.title++;
      return useAssistantSnapshot((thread) => thread.title) ?? "none";
    };
    const Buttons = () => {
      renders.actions++;
      useAssistantActions();
      return null;
    };
    render(<Page><Title /><Buttons /></Page>); // prettier-ignore
    await send();
    expect(renders).toEqual({ title: 1, actions: 1 });
  });

  it("says where it must be used", () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    expect(() => renderHook(useAssistant)).toThrow("useAssistant must be used inside <AssistantProvider>.");
  });
});

describe("AssistantProvider", () => {
  it("makes a client that lives through StrictMode and ends with it", async () => {
    const server = new TestServer().onRun(answer("Hi"));
    let assistant!: Assistant;
    const Probe = () => ((assistant = useAssistant()), null);
    const tree = (token: string) => (
      <StrictMode>
        <AssistantProvider url="https://test" fetch={server.fetch} headers={{ Authorization: token }}>
          <Probe />
        </AssistantProvider>
      </StrictMode>
    );
    const seen: unknown[] = [];
    vi.spyOn(server, "fetch").mockImplementation((target, init) => {
      if (String(target).endsWith("/run")) seen.push((init!.headers as Record<string, string>)["Authorization"]);
      return new TestServer().onRun(answer("Hi")).fetch(target, init);
    });
    const { rerender, unmount } = render(tree("old"));
    await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
    rerender(tree("new"));
    await act(() => assistant.send("Hello"));
    expect(seen).toEqual(["new"]);
    expect(assistant.messages).toHaveLength(2);
    unmount();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await assistant.send("Again");
    expect(seen).toHaveLength(1);
  });

  // React has <Activity> since 19.2.
  it("works again after it was hidden for a while", async ({ skip }) => {
    skip(!(Activity as unknown), "needs React 19.2");
    const server = new TestServer().onRun(answer("Hi")).onRun(answer("Hi again", "a2"));
    let assistant!: Assistant;
    const Probe = () => ((assistant = useAssistant()), null);
    const tree = (mode: "visible" | "hidden") => (
      <Activity mode={mode}>
        <AssistantProvider url="https://test" fetch={server.fetch}>
          <Probe />
        </AssistantProvider>
      </Activity>
    );
    const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 5)));
    const { rerender } = render(tree("visible"));
    await settle();
    await act(() => assistant.send("Hello"));
    const { threadId } = assistant;
    rerender(tree("hidden"));
    await settle();
    rerender(tree("visible"));
    await settle();
    await act(() => assistant.send("Hello again"));
    expect(server.inputs.map((input) => input.threadId)).toEqual([threadId, threadId]);
    expect(assistant.messages.at(-1)).toMatchObject({ role: "assistant", content: "Hi again" });
  });
});

it("tells what the components of two roots say, where they share a client", () => {
  const { client, Page } = setUp();
  const Rows = ({ n }: { n: number }) => (useDynamicContext({ description: `rows ${n}`, value: n }), null);
  render(<Page><Rows n={1} /></Page>); // prettier-ignore
  render(<Page><Rows n={2} /></Page>); // prettier-ignore
  expect(client.getContext().map(({ value }) => value)).toEqual(["1", "2"]);
});
