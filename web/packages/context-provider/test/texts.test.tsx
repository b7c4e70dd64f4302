/**
 * The examples of the texts that the hooks were designed in run as they are printed. That they
 * compile under `strict` is checked by `docs.test.ts`.
 */
import { act, fireEvent, render, renderHook, screen, waitFor } from "@testing-library/react";
import { commandsOf, createPagesideClient, pluginsOf, type Capability, type Json } from "@pageside/core";
import { backendCall, frontendCall, scriptedAgent, type Rule } from "@pageside/testing";
import { renderWithAssistant } from "@pageside/testing/react";
import {
  AssistantActionProvider,
  AssistantPlugin,
  contextProviderOf,
  uiActionsOf,
  useAssistantAction,
} from "@osd/context-provider";
import type { ReactElement } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AssistantTray } from "@pageside/react/tray";
import * as actions from "./texts/actions.js";
import { app } from "./texts/application.js";
import { ChatWindow, mockAssistantAction, type AssistantEvent } from "./texts/chat.js";
import * as page from "./texts/page.js";
import { AssistantActionService, ContextCaptureService, registerDataExplorationActions } from "./texts/ui-actions.js";

beforeEach(() => vi.clearAllMocks());

/** The page with the tray, and an assistant that calls the tool and then says "Done.". */
function open(ui: ReactElement, name: string, args: Json, rules?: readonly Rule[]) {
  const shown = renderWithAssistant(
    <>
      {ui}
      <AssistantTray />
    </>,
    { rules: rules ?? [{ reply: [frontendCall(name, args), "Done."] }], defaultOpen: true },
  );
  /** What the model was told. */
  const told = () => {
    const content = shown.agent.inputs.at(-1)!.messages.find(({ role }) => role === "tool")?.content;
    return JSON.parse(String(content)) as unknown;
  };
  return { ...shown, told };
}

/** An agent, and what it was asked to suggest. */
function watchSuggestions() {
  const agent = scriptedAgent([]);
  const requests: string[] = [];
  const fetch: typeof agent.fetch = (url, init) => {
    if (String(url).endsWith("/v1/suggestions")) requests.push(String(init?.body));
    return agent.fetch(url, init);
  };
  return { requests, agent: { fetch } };
}

const tray = (selector: string) => document.querySelector(`.ps-tool-custom ${selector}`)?.textContent;

describe("the first text's", () => {
  it("plug-in registers with what the host gives it", () => {
    const client = createPagesideClient();
    const contextProvider = contextProviderOf(client);
    const plugin = new page.YourPlugin();
    plugin.setup({}, { contextProvider });
    plugin.start({}, { contextProvider });
    expect(pluginsOf(client)).toMatchObject([{ id: "your-plugin", name: "Your Plugin Name" }]);
  });

  it("page context is the address, or what the page makes of it", async () => {
    history.replaceState(null, "", '/app/discover?_a={"query":{"query":"a","language":"ppl"}}&_g={"filters":[1]}');
    const both = <><page.MyApp /><page.DiscoverApp /><page.DescribedApp /></>; // prettier-ignore
    const { send, agent } = renderWithAssistant(both, { rules: [{ reply: "Hello." }] });
    await send("Hi");
    const values = agent.inputs[0]!.context.map(({ value }) => value).join("\n");
    expect(values).toContain("/app/discover");
    expect(values).toContain('{"query":{"query":"a","language":"ppl"},"filters":[1],"timeRange":{"from":"now-15m","to":"now"}}'); // prettier-ignore
    expect(agent.inputs[0]!.context.filter(({ description }) => description === "Discover page context")).toHaveLength(
      2,
    );
  });

  it("dynamic context follows the component's state, and a label is sent where it is mentioned", async () => {
    const both = <><page.DataTable /><page.SelectedData /></>; // prettier-ignore
    const { send, agent, client } = renderWithAssistant(both, { rules: [{ reply: "Hello." }] });
    fireEvent.click(screen.getByText("Select"));
    fireEvent.click(screen.getByText("Expand"));
    await send("Hi");
    expect(agent.inputs[0]!.context.map(({ value }) => value)).toEqual(['[{"id":"7","name":"seven"}]', '["7"]']);
    const { id } = client.getContextEntries().find(({ label }) => label === "@selected-data")!;
    await send("And @selected-data?", { mentions: [id] });
    expect(agent.inputs[1]!.context.map(({ description }) => description)).toContain("Data that user has selected for analysis"); // prettier-ignore
  });

  it("simple tool refreshes the page", async () => {
    const { send, told } = open(<page.RefreshTool />, "refresh_data", {});
    await send("Refresh");
    expect(app.refreshData).toHaveBeenCalledOnce();
    expect(told()).toEqual({ success: true, message: "Data refreshed successfully" });
  });

  it("complex tool runs a query and draws what it did", async () => {
    const args = { query: "source=logs", description: "All of them" };
    const { send, told } = open(<page.ExecuteQuery />, "execute_ppl_query", args);
    await send("Show all");
    expect(app.dispatch).toHaveBeenCalledWith({ load: "source=logs" });
    expect(told()).toMatchObject({ success: true, executed: true });
    expect(await screen.findByText("Query updated and executed")).toBeTruthy();
    expect(document.querySelector("[data-color]")!.getAttribute("data-color")).toBe("success");
  });

  it("complex tool only sets the query where it shall not run it, and says what failed", async () => {
    const rules: Rule[] = [
      { when: "set", reply: [frontendCall("execute_ppl_query", { query: "source=a", autoExecute: false }), "Set."] },
      { when: "bad", reply: [frontendCall("execute_ppl_query", { query: 7 }), "No."] },
    ];
    const { send } = open(<page.ExecuteQuery />, "", {}, rules);
    await send("set");
    expect(app.setEditorTextWithQuery).toHaveBeenCalledWith("source=a");
    expect(app.dispatch).not.toHaveBeenCalled();
    await send("bad");
    expect(await screen.findByText("Failed to update query")).toBeTruthy();
  });

  it("prompts are commands, and a button that asks", async () => {
    const { settle, agent } = open(<page.Prompts />, "", {}, [{ reply: "Here you are." }]);
    await settle(() => fireEvent.click(screen.getByText("Analyze")));
    expect(agent.inputs[0]!.messages.at(-1)).toMatchObject({
      content: "Analyze the current data and show key insights",
    });
  });

  it("instructions go with each message while they are available", async () => {
    const both = <><page.Background /><page.ConditionalBackground /></>; // prettier-ignore
    const { send, client, getByText } = renderWithAssistant(both, { rules: [{ reply: "Hello." }] });
    const texts = () => client.getInstructions().map(({ text }) => text);
    expect(texts()).toEqual(["This application can export data to CSV and JSON formats."]);
    fireEvent.click(getByText("Show"));
    expect(texts()).toContain("Users can create visualizations and apply filters.");
    await send("Hi");
  });

  it("suggestions ask the server with what the components say", async () => {
    const { requests, agent } = watchSuggestions();
    const both = <><page.Employees /><page.Selection hasData selectedItems={["a"]} /><AssistantTray /></>; // prettier-ignore
    renderWithAssistant(both, { agent, defaultOpen: true });
    await waitFor(() => expect(requests.join()).toContain("The following employees are available"));
    expect(requests.join()).toContain("Selected items: 1");
  });

  it("UI actions run by their trigger, and give context while their application is current", async () => {
    const agent = scriptedAgent([{ reply: "Hello." }]);
    const client = createPagesideClient({ fetch: agent.fetch });
    const uiActions = uiActionsOf(client);
    registerDataExplorationActions(uiActions);
    const given = { actionId: "execute-query-action", args: { query: "q", dataSource: "logs" } };
    expect(await uiActions.executeTriggerActions("execute-query", given)).toBe("q on logs");

    const capture = new ContextCaptureService(uiActions);
    const captured = { currentQuery: "source=logs", selectedData: [7], filters: ["level:error"] };
    expect(await capture.captureContext("discover")).toEqual(captured);
    const heard = vi.fn();
    capture.subscribeToContextUpdates(heard);
    await client.send("Hi");
    expect(agent.inputs[0]!.context.map(({ value }) => JSON.parse(value) as unknown)).toEqual([captured]);
    client.setPlace({ page: "discover" });
    await waitFor(() => expect(heard).toHaveBeenCalledWith(expect.objectContaining({ place: { page: "discover" } })));
  });

  it("service wraps tools in UI actions: the model is offered them by their own names", async () => {
    const client = createPagesideClient();
    const service = new AssistantActionService(uiActionsOf(client));
    const handler = vi.fn(async ({ n }: { n: number }) => n * 2);
    service.registerTool({ name: "double", description: "Doubles", handler });
    expect(client.getTools().map(({ name }) => name)).toEqual(["double"]);
    expect(await service.executeAction("double", { n: 4 })).toBe(8);
  });
});

describe("the second text's", () => {
  it.each([
    [true, "approved"],
    [false, "rejected"],
  ])("confirmAction waits for its own dialog: %s", async (answer, result) => {
    // prettier-ignore
    app.showConfirmDialog.mockResolvedValueOnce(answer);
    const { send, told } = open(<actions.MyComponent />, "confirmAction", { action: "restart", importance: "high" });
    await send("Restart");
    expect(app.showConfirmDialog).toHaveBeenCalledWith({ message: "Do you want to restart?", severity: "high" });
    expect(told()).toBe(result);
  });

  it("web_search draws each of its states", async () => {
    let found!: (results: { title: string }[]) => void;
    app.searchWeb.mockImplementationOnce(() => new Promise((resolve) => (found = resolve)));
    const { send, settle } = open(<actions.SearchComponent />, "web_search", { query: "otters" });
    const sent = send("Search");
    await waitFor(() => expect(tray(".tool-status")).toContain('Searching for "otters"...'));
    await settle(() => found([{ title: "a" }, { title: "b" }]));
    await sent;
    expect(tray(".tool-result")).toContain('Found 2 results for "otters"');
  });

  it("web_search says with an Error why it failed", async () => {
    app.searchWeb.mockRejectedValueOnce(new RangeError("no such engine"));
    const { send, told } = open(<actions.SearchComponent />, "web_search", { query: "otters" });
    await send("Search");
    expect(tray(".tool-error")).toContain("Search failed: no such engine");
    expect(told()).toEqual({ error: { type: "RangeError", message: "no such engine" } });
  });

  it("deployApplication is there only for those who may deploy", async () => {
    const { client, rerender } = renderWithAssistant(<actions.Deployment hasDeploymentPermissions={false} />);
    expect(client.getTools()).toEqual([]);
    rerender(<actions.Deployment hasDeploymentPermissions />);
    expect(client.getTools()).toMatchObject([{ name: "deployApplication" }]);
    const args = { environment: "dev", version: "1" };
    const result = await uiActionsOf(client).executeTriggerActions("assistant-tool", { actionId: "assistant-deployApplication", args }); // prettier-ignore
    expect(result).toEqual({ deploymentId: "d-1", status: "initiated", estimatedTime: "5 minutes" });
  });

  it("render-only actions draw tools of the server, and are not offered", async () => {
    const rules: Rule[] = [
      {
        when: "analyze",
        reply: [backendCall("analyzing_data", { dataSource: "logs", progress: 40 }, { result: {} }), "Done."],
      },
      { reply: [backendCall("api_request", { endpoint: "/orders" }, { result: {} }), "Called."] },
    ];
    const both = <><actions.Analysis /><actions.ApiRequest /></>; // prettier-ignore
    const { send, client } = open(both, "", {}, rules);
    expect(client.getTools()).toEqual([]);
    await send("analyze");
    expect(tray(".analysis-status")).toContain("Analysis complete for logs");
    await send("call");
    expect(tray(".api-status")).toContain("Successfully called /orders");
  });

  it.each([
    [true, "User confirmed deletion of logs"],
    [false, "User cancelled deletion of logs"],
  ])("confirmDeletion shows what the user said: %s", async (answer, shown) => {
    // prettier-ignore
    app.confirm.mockResolvedValueOnce(answer);
    const args = { resourceType: "index", resourceName: "logs" };
    const { send, told } = open(<actions.ConfirmDeletion />, "confirmDeletion", args);
    await send("Delete it");
    expect(told()).toBe(answer);
    expect(tray(".confirmation-result")).toContain(shown);
  });

  it("selectDataSource shows what was selected", async () => {
    const { send, told } = open(<actions.SelectDataSource />, "selectDataSource", { dataTypes: ["logs", "traces"] });
    await send("Select");
    expect(told()).toEqual({ name: "my-logs", type: "logs" });
    expect(tray(".selection-complete")).toContain("Selected: my-logs (logs)");
  });

  it("deployment_process uses hooks in its render", async () => {
    const args = { environment: "dev", version: "1.2" };
    const { send } = open(<actions.DeploymentProcess />, "deployment_process", args);
    await send("Deploy");
    expect(tray("h4")).toBe("Deploying 1.2 to dev");
    expect(tray(".deployment-success")).toContain("Deployment 12345 completed successfully");
  });

  it("riskyOperation returns its failure as a result", async () => {
    vi.spyOn(console, "error").mockImplementationOnce(() => {});
    app.performRiskyOperation.mockRejectedValueOnce(new TypeError("broken"));
    const { send, told } = open(<actions.RiskyOperation />, "riskyOperation", { n: 1 });
    await send("Go");
    expect(told()).toMatchObject({ success: false, error: "broken", errorType: "TypeError" });
  });

  it("chat window drives actions from events of its own", async () => {
    app.searchWeb.mockResolvedValueOnce([{ title: "a" }]);
    const agent = scriptedAgent([]);
    const client = createPagesideClient({ fetch: agent.fetch });
    const [sendMessage, runAgent] = [vi.fn(), vi.fn()];
    let handle!: (event: AssistantEvent) => void;
    let start!: () => void;
    const ready = (handles: typeof handle, starts: typeof start) => ([handle, start] = [handles, starts]);
    render(
      <AssistantActionProvider client={client}>
        <actions.SearchComponent />
        <actions.Analysis />
        <ChatWindow onReady={ready} sendMessage={sendMessage} runAgent={runAgent} />
      </AssistantActionProvider>,
    );
    start();
    expect(runAgent.mock.calls[0]![0]).toMatchObject({
      tools: [{ name: "web_search", parameters: { type: "object" } }],
    });
    expect(runAgent.mock.calls[0]![0].tools).toHaveLength(1);

    const toolCallId = "c1";
    act(() => handle({ type: "TOOL_CALL_START", toolCallId, toolCallName: "web_search" }));
    expect(document.querySelector(".tool-status")!.textContent).toContain("Preparing to search...");
    act(() => handle({ type: "TOOL_CALL_ARGS", toolCallId, delta: '{"query":"otters"}' }));
    await act(async () => handle({ type: "TOOL_CALL_END", toolCallId }));
    await waitFor(() => expect(document.querySelector(".tool-result")).not.toBeNull());
    expect(document.querySelector(".tool-result")!.textContent).toContain('Found 1 results for "otters"');
    expect(sendMessage).toHaveBeenCalledWith({ role: "tool", content: '[{"title":"a"}]', toolCallId });
  });

  it("test helper stands in for the provider", () => {
    const { TestWrapper, executeAction, value } = mockAssistantAction(actions.confirmAction);
    executeAction.mockResolvedValue("approved");
    const { result, unmount } = renderHook(() => useAssistantAction(actions.confirmAction), { wrapper: TestWrapper });
    expect(result.current).toBeDefined();
    expect(value.registerAction.mock.calls[0]![0]).toMatchObject({ name: "confirmAction" });
    unmount();
    expect(value.unregisterAction).toHaveBeenCalledWith("confirmAction");
  });
});

it("commands and suggestions inside of a plug-in are its own, and left out where it may not have them", async () => {
  const warning = vi.spyOn(console, "warn").mockImplementation(() => {});
  const Inside = ({ capabilities }: { capabilities: Capability[] }) => (
    <AssistantPlugin id="people" name="People" capabilities={capabilities}>
      <page.Prompts />
      <page.Employees />
    </AssistantPlugin>
  );
  const { requests, agent } = watchSuggestions();
  const ui = (capabilities: Capability[]) => <><Inside capabilities={capabilities} /><AssistantTray /></>; // prettier-ignore
  const { client, rerender } = renderWithAssistant(ui(["prompts", "suggestions"]), { agent, defaultOpen: true }); // prettier-ignore
  const commands = () => commandsOf(client).all().map(({ command, source }) => [command, source]); // prettier-ignore
  expect(commands()).toEqual([["/analyze", "people"], ["/help", "people"]]); // prettier-ignore
  await waitFor(() => expect(requests.join()).toContain("The following employees"));
  requests.length = 0;
  rerender(ui(["context"]));
  await waitFor(() => expect(commands()).toEqual([]));
  client.setPlace({ page: "other" });
  await new Promise((resolve) => setTimeout(resolve, 500)); // the page is at rest, and suggestions are asked for again
  expect(requests.join()).not.toContain("The following employees");
  expect(warning).toHaveBeenCalledWith(expect.stringContaining("the suggestions of the plug-in"));
});
