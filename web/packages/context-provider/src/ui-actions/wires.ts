/**
 * Connects actions to the client: as tools, context, commands, and tools of the browser's own
 * agents.
 */
import { commandsOf, type ContextValue, type FrontendTool } from "@pageside/core";
import { ACTION, type MadeTool } from "@pageside/core/calls";
import { isToolAction, nameOfTool, type ActionHost, type ActionList } from "./list.js";
import { loadRunning } from "./load.js";
import type { UiAction } from "./types.js";

/**
 * Connects actions to the client in each of their roles, and disconnects those that no longer have
 * it.
 */
export function wiring(host: ActionHost): (list: ActionList) => void {
  const { client } = host;
  const wires = (wire: typeof wireTool) => new Wires((action) => wire(host, action));
  const [tools, contexts, commands, webMcp] = [
    wires(wireTool),
    wires(wireContext),
    wires(wireCommand),
    wires(wireWebMcp),
  ] as const;
  let stopUpdates: (() => void) | undefined;
  return (list) => {
    const all = [...list.byId.values()];
    // An action that came from a tool does not become a tool again.
    tools.keep(list.actions("assistant-tool").filter((each) => !isToolAction(each)));
    contexts.keep(list.actions("capture-context").filter((each) => !isToolAction(each)));
    commands.keep(all.filter(({ command }) => command));
    webMcp.keep(all.filter((each) => each.webMcp));
    if (list.of(UPDATED).length > 0) stopUpdates ??= client.subscribePage(() => void tellOfContext(host));
    else {
      stopUpdates?.();
      stopUpdates = undefined;
    }
  };
}

const UPDATED = "context-updated";

async function tellOfContext({ client, actions }: ActionHost): Promise<void> {
  const context = { place: client.getPlace(), context: client.getContext() };
  await actions.executeTriggerActions(UPDATED, context).catch((error: unknown) => console.error(error));
}

/** The actions wired in one role. A different action with the same id is wired anew. */
class Wires {
  readonly #wired = new Map<UiAction, () => void>();
  readonly #wire: (action: UiAction) => () => void;

  constructor(wire: (action: UiAction) => () => void) {
    this.#wire = wire;
  }

  /** Removes the wires that are no longer wanted, then adds the new ones. */
  keep(wanted: readonly UiAction[]): void {
    for (const [action, undo] of [...this.#wired]) {
      if (wanted.includes(action)) continue;
      this.#wired.delete(action);
      undo();
    }
    for (const action of wanted) if (!this.#wired.has(action)) this.#wired.set(action, this.#wire(action));
  }
}

function nameOf({ id, getDisplayName, description }: UiAction): string {
  return description ?? getDisplayName?.() ?? id;
}

type MadeMark = Pick<MadeTool, typeof ACTION>;

function wireTool({ client }: ActionHost, action: UiAction): () => void {
  const tool: FrontendTool<Record<string, unknown>> & MadeMark = {
    name: nameOfTool(action.id),
    description: nameOf(action),
    parameters: action.parameters,
    source: action.appId,
    requiresConfirmation: action.requiresConfirmation,
    effect: action.effect,
    destructive: action.destructive,
    handler: async (args) => (await loadRunning()).run(action, args),
    [ACTION]: action.id,
  };
  return client.registerTool(tool);
}

function wireContext({ client, currentApp }: ActionHost, action: UiAction): () => void {
  const { id, appId } = action;
  let last: unknown;
  return client.registerContext({
    id: `action:${id}`,
    description: nameOf(action),
    kind: "dynamic",
    source: appId,
    prepare: async () => {
      last = undefined; // no value is better than an outdated one
      const current = currentApp();
      if (appId !== undefined && current !== undefined && appId !== current) return;
      last = await (await loadRunning()).runIfOpen(action, { appId: appId ?? current });
    },
    value: () => last as ContextValue,
  });
}

function wireCommand(host: ActionHost, action: UiAction): () => void {
  return commandsOf(host.client).register({
    ...action.command!,
    description: nameOf(action),
    handler: async (text) => (await loadRunning()).runCommand(host, action, text),
  });
}

function wireWebMcp(host: ActionHost, action: UiAction): () => void {
  let undo: (() => void) | undefined;
  let isOver = false;
  void loadRunning().then(({ expose, runConfirmed }) => {
    if (!isOver) undo = expose(action, (args) => runConfirmed(host, action, args));
  });
  return () => {
    isOver = true;
    undo?.();
  };
}
