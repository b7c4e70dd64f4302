// Components within each other that register the same: which of them counts, and who takes over.
import { act, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import type { PagesideClient } from "@pageside/core";
import { useAssistantAction, usePageContext, usePayload, useToolRenderer } from "../src/index.js";
import { useAssistantContext } from "../src/index.js";
import type { AssistantAction, PageContext } from "../src/index.js";
import { answer, calls } from "../../core/test/events.js";
import { openPage } from "./page.js";

type ActionProps = Partial<AssistantAction<never>> & { says: string; children?: ReactNode };

function Action({ says, children, ...action }: ActionProps) {
  useAssistantAction({ name: "t", description: says, handler: () => says, ...action });
  return children;
}

const offered = (client: PagesideClient) => client.getTools().map(({ description }) => description);

describe("actions of one name, within each other", () => {
  it("the innermost wins, although its effects run first, and the next one takes over when it goes", () => {
    const { client, Page } = openPage();
    const App = ({ depth }: { depth: number }) => (
      <Page>
        <Action says="page">{depth > 0 && <Action says="tab">{depth > 1 && <Action says="row" />}</Action>}</Action>
      </Page>
    );
    const { rerender, unmount } = render(<App depth={2} />);
    expect(offered(client)).toEqual(["row"]);
    rerender(<App depth={1} />);
    expect(offered(client)).toEqual(["tab"]);
    rerender(<App depth={0} />);
    expect(offered(client)).toEqual(["page"]);
    rerender(<App depth={2} />);
    expect(offered(client)).toEqual(["row"]);
    unmount();
    expect(offered(client)).toEqual([]);
  });

  it("one that is only drawn, has no handler or is not enabled hides none around it", async () => {
    const { server, client, Page } = openPage();
    const App = ({ inner }: { inner?: Omit<ActionProps, "says"> }) => (
      <Page>
        <Action says="page">
          <Action says="row" {...inner} />
        </Action>
      </Page>
    );
    const { rerender } = render(<App inner={{ available: "disabled" }} />);
    expect(offered(client)).toEqual(["page"]);
    rerender(<App inner={{ handler: undefined }} />);
    expect(offered(client)).toEqual(["page"]);
    rerender(<App inner={{ enabled: false }} />);
    expect(offered(client)).toEqual(["page"]);
    rerender(<App />);
    expect(offered(client)).toEqual(["row"]);
    rerender(<App inner={{ available: "disabled" }} />);

    server.onRun(calls(["c1", "t"])).onRun(answer("done"));
    await act(() => client.send("go"));
    expect(server.inputs[1]!.messages).toMatchObject([{ role: "tool", content: '"page"' }]);
  });

  it("an outer one that is advertised anew stays below", () => {
    const { client, Page } = openPage();
    const App = ({ count, enabled = true }: { count: number; enabled?: boolean }) => (
      <Page>
        <Action says={`page ${count}`} deps={[count]} enabled={enabled}>
          <Action says="row" />
        </Action>
      </Page>
    );
    const { rerender } = render(<App count={1} />);
    rerender(<App count={2} />);
    expect(offered(client)).toEqual(["row"]);
    rerender(<App count={2} enabled={false} />);
    rerender(<App count={2} />);
    expect(offered(client)).toEqual(["row"]);
  });

  it("of two beside each other the newer wins", () => {
    const { client, Page } = openPage();
    const App = ({ both }: { both: boolean }) => (
      <Page>
        {both && <Action key="new" says="new" />}
        <Action key="old" says="old" />
      </Page>
    );
    const { rerender } = render(<App both={false} />);
    rerender(<App both />);
    expect(offered(client)).toEqual(["new"]);
    rerender(<App both={false} />);
    expect(offered(client)).toEqual(["old"]);
  });

  it("the innermost that draws, draws", () => {
    const { Page } = openPage();
    const Drawn = () => {
      const draw = useToolRenderer("t");
      return <>{draw?.({ id: "1", name: "t", frontend: true, status: "complete", argsText: "", startedAt: 0 })}</>;
    };
    render(
      <Page>
        <Action says="page" render={() => "drawn by the page"}>
          <Action says="row" available="disabled" render={() => "drawn by the row"} />
        </Action>
        <Drawn />
      </Page>,
    );
    expect(screen.getByText("drawn by the row")).toBeTruthy();
  });
});

describe("cards of one type, within each other", () => {
  it("are those of the innermost", () => {
    const { Page } = openPage();
    let read: () => unknown = () => undefined;
    const Card = ({ title, children }: { title: string; children?: ReactNode }) => {
      usePayload("query", { title });
      return children;
    };
    const Reader = () => {
      const { payloads } = useAssistantContext();
      read = () => payloads.top("query")?.title;
      return null;
    };
    const App = ({ inner }: { inner: boolean }) => (
      <Page>
        <Card title="page">{inner && <Card title="row" />}</Card>
        <Reader />
      </Page>
    );
    const { rerender } = render(<App inner />);
    expect(read()).toBe("row");
    rerender(<App inner={false} />);
    expect(read()).toBe("page");
  });
});

describe("the address", () => {
  function Place({ children, ...context }: PageContext<never> & { children?: ReactNode }) {
    usePageContext(context);
    return children;
  }
  const told = (client: PagesideClient) => client.getContext().map(({ description, value }) => [description, value]);

  it("is told once, however many components tell it, by the innermost that has something to say", () => {
    window.history.replaceState(null, "", "/orders?n=1");
    const { client, Page } = openPage();
    const App = ({ depth }: { depth: number }) => (
      <Page>
        <Place description="The shop" decode={((value: string) => Number(value)) as never}>
          {depth > 0 && <Place tab="late">{depth > 1 && <Place description="Late orders" />}</Place>}
        </Place>
      </Page>
    );
    const { rerender, unmount } = render(<App depth={2} />);
    const address = '{"path":"/orders","parameters":{"n":1}}';
    expect(told(client)).toEqual([["Late orders", address]]);
    expect(client.getContextEntries()).toHaveLength(1);
    rerender(<App depth={0} />);
    expect(told(client)).toEqual([["The shop", address]]);
    unmount();
    expect(told(client)).toEqual([]);
  });

  it("that is switched off stays off, whoever tells it then", () => {
    const { client, Page } = openPage();
    const App = ({ inner }: { inner: boolean }) => <Page><Place>{inner && <Place />}</Place></Page>; // prettier-ignore
    const { rerender } = render(<App inner />);
    client.setIncluded("context", client.getContextEntries()[0]!.id, false);
    rerender(<App inner={false} />);
    expect(told(client)).toEqual([]);
    rerender(<App inner />);
    expect(told(client)).toEqual([]);
  });

  it("that two make the same of is told once; what differs is told", () => {
    const { client, Page } = openPage();
    const Made = ({ of }: { of: string }) => <Place description="Made" convert={(() => ({ of })) as never} />;
    const { rerender } = render(<Page><Made of="a" /><Made of="a" /></Page>); // prettier-ignore
    expect(told(client)).toEqual([["Made", '{"of":"a"}']]);
    expect(client.getContextEntries()).toHaveLength(1);
    rerender(<Page><Made of="a" /><Made of="b" /></Page>); // prettier-ignore
    expect(told(client)).toEqual([["Made", '{"of":"a"}'], ["Made", '{"of":"b"}']]); // prettier-ignore
  });
});
