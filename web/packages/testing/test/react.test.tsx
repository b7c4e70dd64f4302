import { useAssistantAction, useAssistantSnapshot, useDynamicContext, usePayload } from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import type { FrontendTool, PagesideClient } from "@pageside/core";
import { StrictMode, useState, type ReactNode } from "react";
import { expect, it, vi } from "vitest";
import {
  approval,
  disconnect,
  fakeClock,
  frontendCall,
  mockAssistantAction,
  pause,
  payload,
  scriptedAgent,
  text,
  together,
  type Rule,
} from "../src/index.js";
import { renderWithAssistant } from "../src/react.js";

const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
const own = vi.fn((query: string) => ({ hits: query.length }));

/** A page as an application has it. */
function SearchPage() {
  const [query, setQuery] = useState("");
  useDynamicContext({ description: "Query", value: query });
  useAssistantAction<{ query: string }>({
    name: "set_query",
    description: "Sets the query",
    parameters,
    handler: (args) => {
      setQuery(args.query);
      return own(args.query);
    },
  });
  return <input type="search" aria-label="Query" value={query} onChange={(change) => setQuery(change.target.value)} />;
}

const field = () => screen.getByRole<HTMLInputElement>("searchbox").value;
const query = (value: string) => frontendCall("set_query", { query: value });

it("runs the actions of the page, and what React drew of one is there for the next", async () => {
  const seen: string[] = [];
  const look = text(({ context }) => (seen.push(String(context("Query"))), ""));
  const rules: Rule[] = [{ when: "errors", reply: [query("a"), look, query("b"), "Done."] }];
  const { send, lastAnswer, snapshot, agent } = renderWithAssistant(<SearchPage />, { rules });
  await send("Show me the errors");
  expect(field()).toBe("b");
  expect(seen).toEqual(["a"]);
  expect(lastAnswer()).toBe("Done.");
  expect(agent.messages(snapshot().threadId)).toEqual(snapshot().messages);
});

it("mocks an action: the page keeps its schema, its handler is not called, and no handler runs twice", async () => {
  own.mockClear();
  const setQuery = mockAssistantAction<{ query: string }, { hits: number }>("set_query").returns({ hits: 3 });
  const calls = together(query("x"), query("y"), frontendCall("set_query", { query: 5 }));
  const rules: Rule[] = [{ reply: [calls, disconnect(), text(({ result }) => JSON.stringify(result("set_query")))] }];
  const { send, lastAnswer, agent } = renderWithAssistant(<SearchPage />, {
    rules,
    actions: [setQuery],
    client: { reconnect: { minDelay: 1 } },
    reactStrictMode: true,
  });
  setQuery.returnsOnce({ hits: 1 });
  await send("go");
  expect(setQuery.calls.map(({ toolCallId, args, result }) => [toolCallId, args.query, result])).toEqual([
    ["call-1", "x", { hits: 1 }],
    ["call-2", "y", { hits: 3 }],
  ]);
  expect(lastAnswer()).toContain("invalid_arguments");
  expect(own).not.toHaveBeenCalled();
  expect(agent.inputs[0]!.tools).toMatchObject([{ name: "set_query", description: "Sets the query", parameters }]);
});

it("counts a handler that runs twice", async () => {
  const setQuery = mockAssistantAction<{ query: string }>("set_query");
  /** Gives the client a fault: it runs every handler twice. */
  const install = (client: PagesideClient) => {
    const { registerTool } = client;
    client.registerTool = <Args, Result>(tool: FrontendTool<Args, Result>) =>
      registerTool<Args, Result>({
        ...tool,
        handler: async (args, context) => {
          await tool.handler!(args, context);
          return tool.handler!(args, context);
        },
      });
    return () => undefined;
  };
  const rules: Rule[] = [{ reply: [query("x"), "Done."] }];
  const { send } = renderWithAssistant(<SearchPage />, { rules, actions: [{ install }, setQuery] });
  await send("go");
  expect(setQuery.calls.map(({ toolCallId }) => toolCallId)).toEqual(["call-1", "call-1"]);
});

it("tells the assistant of what a mocked action throws, or lets the page's own handler do it", async () => {
  own.mockClear();
  const setQuery = mockAssistantAction("set_query").throws(new Error("index is closed"));
  const rules: Rule[] = [{ reply: [query("x"), text(({ result }) => JSON.stringify(result("set_query")))] }];
  const { send, lastAnswer, client } = renderWithAssistant(<SearchPage />, { rules, actions: [setQuery] });
  await send("go");
  expect(lastAnswer()).toContain("index is closed");
  expect(setQuery.calls[0]!.error).toEqual(new Error("index is closed"));
  setQuery.clear();
  setQuery.callsThrough();
  const next = setQuery.nextCall();
  await send("again");
  expect((await next).args).toEqual({ query: "x" });
  expect(own).toHaveBeenCalledOnce();
  expect(lastAnswer()).toBe('{"hits":1}');
  expect(client.getTools().map(({ name }) => name)).toEqual(["set_query"]);
});

it("works with the tray: typing, approvals and cards", async () => {
  const accept = vi.fn();
  const Page = () => {
    usePayload<{ query: string }>("query", { title: "Query", render: ({ data }) => <b>{data.query}</b>, accept });
    return <AssistantTray />;
  };
  const proposal = payload("query", { query: "a=b" }, { grow: true });
  const rules: Rule[] = [{ reply: [approval("remove", { id: 5 }), "Removed. ", proposal] }];
  const page = renderWithAssistant(<Page />, { rules, defaultOpen: true });
  const { settle, respond, lastAnswer, snapshot, agent } = page;
  await settle(() => {
    const box = screen.getByLabelText("Message");
    fireEvent.change(box, { target: { value: "remove it" } });
    fireEvent.keyDown(box, { key: "Enter" });
  });
  expect(snapshot().questions).toHaveLength(1);
  await respond({ approved: true });
  expect(lastAnswer()).toBe("Removed. ");
  const button = await screen.findByRole("button", { name: /accept|apply/i });
  await settle(() => fireEvent.click(button));
  expect(accept).toHaveBeenCalledWith({ query: "a=b" }, "card-1");
  await vi.waitFor(() => expect(agent.messages(snapshot().threadId).at(-1)!.metadata).toMatchObject({ pageside: { status: "accepted" } })); // prettier-ignore
  await expect(respond({ approved: true })).rejects.toThrow("Nothing waits for an answer of the user.");
});

it("takes an agent and a wrapper of yours, and shows what streams under a fake clock", async () => {
  const clock = fakeClock();
  const agent = scriptedAgent([{ reply: ["Wait", pause(5000), " for it."] }], { clock });
  const Status = () => <output>{useAssistantSnapshot(({ status }) => status)}</output>;
  const wrapper = ({ children }: { children: ReactNode }) => <main>{children}</main>;
  const page = renderWithAssistant(<Status />, { agent, wrapper });
  const sent = page.send("go");
  await clock.asleep();
  await vi.waitFor(() => expect(screen.getByRole("status").textContent).toBe("streaming"));
  await clock.advance(5000);
  await sent;
  expect(page.lastAnswer()).toBe("Wait for it.");
  expect(screen.getByRole("main").textContent).toBe("idle");
  expect(page.agent).toBe(agent);
});

it("ends its client with the page, and not before: StrictMode mounts twice", async () => {
  const signals: AbortSignal[] = [];
  const rules: Rule[] = [{ when: "wait", reply: [pause(5000), "late"] }, { reply: "Hi." }];
  const agent = scriptedAgent(rules, { clock: fakeClock() });
  const listening: typeof fetch = (target, init) => {
    signals.push(init!.signal!);
    return agent.fetch(target, init);
  };
  const strict = (
    <StrictMode>
      <SearchPage />
    </StrictMode>
  );
  const page = renderWithAssistant(strict, { agent: { fetch: listening }, reactStrictMode: true });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await page.send("hello");
  expect(page.lastAnswer()).toBe("Hi.");
  void page.client.send("wait");
  await vi.waitFor(() => expect(page.snapshot().messages).toHaveLength(3));
  page.unmount();
  await vi.waitFor(() => expect(signals.at(-1)!.aborted).toBe(true));
});

it("remembers no thread from one page to the next", async () => {
  const open = () => renderWithAssistant(<p />, { rules: [{ when: /./, reply: ["Hello."] }] });
  const before = open();
  await before.send("Hi");
  const { threadId } = before.snapshot();
  cleanup();
  before.client.destroy();
  const after = open();
  await after.send("Hi");
  expect(after.snapshot().threadId).not.toBe(threadId);
});
