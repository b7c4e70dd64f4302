// The ways in which React renders, with every version that is supported: docs/sdk says which those
// are.
import { act, render, screen, waitFor } from "@testing-library/react";
import { createPagesideClient } from "@pageside/core";
import {
  AssistantProvider,
  useAssistant,
  useAssistantAction,
  useDynamicContext,
  usePageContext,
  usePayload,
} from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import { frontendCall, scriptedAgent, text } from "@pageside/testing";
import * as React from "react";
import { startTransition, StrictMode, Suspense, useState, type ReactNode } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, it, vi } from "vitest";

const setUp = () => {
  const agent = scriptedAgent([
    { when: "go", reply: [text("I do it."), frontendCall("do_it", { n: 1 }), text("Done.")] },
    { reply: [text("Hello.")] },
  ]);
  const client = createPagesideClient({ url: "https://test", fetch: agent.fetch });
  const send = (message: string) => act(() => client.send(message));
  return { agent, client, send };
};

function Page({ handler = () => "ok" }: { handler?: (args: { n: number }) => unknown }) {
  usePageContext({ page: "orders" });
  useDynamicContext({ description: "Rows", value: [1, 2] });
  useAssistantAction<{ n: number }>({
    name: "do_it",
    description: "Does it",
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    handler,
    render: ({ status }) => <i>{status}</i>,
  });
  usePayload("card", { render: () => "drawn" });
  return <p>{useAssistant().status}</p>;
}

const App = ({ client, children }: { client?: ReturnType<typeof setUp>["client"]; children?: ReactNode }) => (
  <AssistantProvider client={client} url="https://test">
    {children ?? <Page />}
    <AssistantTray pageName="Orders" suggestions={["Which are late?"]} />
  </AssistantProvider>
);

/**
 * The page as a server sends it. Here is a document, so React 18 warns of layout effects:
 * server.test.tsx has none.
 */
function renderOnServer(): string {
  const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const html = renderToString(<App client={setUp().client} />);
  errors.mockRestore();
  return html;
}

/** What React says of a difference between the server's page and the browser's. */
const differences = (errors: { mock: { calls: unknown[][] } }) =>
  errors.mock.calls.filter(([message]) => /hydrat|did not match|server/i.test(String(message)));

it("is the version that it says", () => {
  expect(React.version.split(".")[0]).toBe(process.env.REACT_VERSION);
});

it("hydrates what a server rendered, without a warning, tray and all", async () => {
  const recovered = vi.fn();
  const { client } = setUp();
  const html = renderOnServer();
  const errors = vi.spyOn(console, "error");
  const container = document.body.appendChild(document.createElement("div"));
  container.innerHTML = html;
  const before = container.querySelector(".ps-tray");
  const root = await act(() => hydrateRoot(container, <App client={client} />, { onRecoverableError: recovered }));
  expect(container.querySelector(".ps-tray")).toBe(before);
  expect(recovered).not.toHaveBeenCalled();
  expect(differences(errors)).toEqual([]);
  await act(() => client.send("hello"));
  await waitFor(() => expect(container.textContent).toContain("Hello."));
  act(() => root.unmount());
});

it("hydrates a tray that the user left open, which the server cannot know", async () => {
  localStorage.setItem("pageside:tray", JSON.stringify({ open: true, width: 500 }));
  const container = document.body.appendChild(document.createElement("div"));
  container.innerHTML = renderOnServer();
  const errors = vi.spyOn(console, "error");
  const root = await act(() => hydrateRoot(container, <App client={setUp().client} />));
  expect(container.querySelector(".ps-root")!.hasAttribute("data-open")).toBe(true);
  expect(differences(errors)).toEqual([]);
  act(() => root.unmount());
});

it("registers everything once, and runs a tool once, in StrictMode", async () => {
  const errors = vi.spyOn(console, "error");
  const { agent, client, send } = setUp();
  const handler = vi.fn(() => "ok");
  const { unmount } = render(
    <StrictMode>
      <App client={client}>
        <Page handler={handler} />
      </App>
    </StrictMode>,
  );
  await send("go");
  expect(handler).toHaveBeenCalledTimes(1);
  expect(agent.inputs).toHaveLength(2);
  expect(agent.inputs[0]!.tools.map(({ name }) => name)).toEqual(["do_it"]);
  expect(agent.inputs[0]!.context.map(({ description }) => description)).toHaveLength(2);
  expect(errors).not.toHaveBeenCalled();
  unmount();
  expect(client.getTools()).toEqual([]);
  expect(client.getContextEntries()).toEqual([]);
  expect(client.getPlace()).toBeUndefined();
});

it("keeps its own client over StrictMode's second mount", async () => {
  const { agent } = setUp();
  let send: ((text: string) => Promise<void>) | undefined;
  function Sender() {
    const assistant = useAssistant();
    send = assistant.send;
    return <output>{assistant.messages.length}</output>;
  }
  render(
    <StrictMode>
      <AssistantProvider url="https://test" fetch={agent.fetch}>
        <Sender />
      </AssistantProvider>
    </StrictMode>,
  );
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
  await act(() => send!("hello"));
  await waitFor(() => expect(screen.getByText("2")).toBeTruthy());
});

it("a page that is suspended has registered nothing, and shows all of it once it is there", async () => {
  const { client, agent, send } = setUp();
  let arrive!: () => void;
  let isThere = false;
  const data = new Promise<void>((resolve) => (arrive = resolve));
  function Late() {
    // Throwing the promise is how data is waited for in every version.
    if (!isThere) throw data;
    return <Page />;
  }
  render(
    <App client={client}>
      <Suspense fallback="waiting">
        <Late />
      </Suspense>
    </App>,
  );
  await screen.findByText("waiting");
  expect(client.getTools()).toEqual([]);
  await send("hello");
  expect(agent.inputs[0]!.tools).toEqual([]);
  await act(async () => {
    isThere = true;
    arrive();
    await data;
  });
  await screen.findByText("idle");
  expect(client.getTools().map(({ name }) => name)).toEqual(["do_it"]);
});

it("a page that is suspended again after it was shown keeps the conversation, and its tools come back", async () => {
  const { client } = setUp();
  let wait: Promise<void> | undefined;
  let again!: () => void;
  let rerender!: (n: number) => void;
  function Sometimes() {
    const [, set] = useState(0);
    rerender = set;
    if (wait) throw wait;
    return <Page />;
  }
  render(
    <App client={client}>
      <Suspense fallback="waiting">
        <Sometimes />
      </Suspense>
    </App>,
  );
  await act(() => client.send("hello"));
  wait = new Promise((resolve) => (again = resolve));
  act(() => rerender(1));
  await screen.findByText("waiting");
  await act(async () => {
    const waited = wait;
    wait = undefined;
    again();
    await waited;
  });
  await waitFor(() => expect(client.getTools().map(({ name }) => name)).toEqual(["do_it"]));
  expect(client.getSnapshot().messages).toHaveLength(2);
});

it("an answer that streams during a transition is shown whole, by every reader the same", async () => {
  const { client } = setUp();
  const seen: string[] = [];
  function Reader({ name }: { name: string }) {
    const { messages } = useAssistant();
    const shown = messages.map(({ content }) => content).join("|");
    seen.push(`${name}:${shown}`);
    return <output>{shown}</output>;
  }
  let grow!: (n: number) => void;
  function Readers() {
    const [count, set] = useState(1);
    grow = set;
    return (
      <>
        {Array.from({ length: count }, (_, index) => (
          <Reader key={index} name={String(index)} />
        ))}
      </>
    );
  }
  render(
    <AssistantProvider client={client}>
      <Readers />
    </AssistantProvider>,
  );
  await act(async () => {
    startTransition(() => grow(20));
    await client.send("hello");
  });
  const outputs = [...document.querySelectorAll("output")].map(({ textContent }) => textContent);
  expect(outputs).toHaveLength(20);
  expect(new Set(outputs)).toEqual(new Set(["hello|Hello."]));
  expect(seen.length).toBeGreaterThan(20);
});
