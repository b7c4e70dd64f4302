/** What the server says of the agent, and the choice of its model. */
import { httpOf } from "./shared.js";
import type { Known, Session, Shared } from "./session.js";
import type { AgentMedia, OfferedModel, PickedModel } from "./types.js";

/** Reads the model, if the server names it, and what the user may choose, read and share. */
export async function readAgent({ shared, snapshots }: Reader): Promise<void> {
  shared.known = await knownOf(shared);
  snapshots.flush();
}

/** Keeps what was read, and shows it. */
interface Reader {
  shared: Shared;
  snapshots: { flush(): void };
}

async function knownOf(shared: Shared): Promise<Known> {
  const path = `/v1/agents/${encodeURIComponent(shared.agent)}/capabilities`;
  const capabilities = await httpOf(shared).read<Capabilities>(path);
  const { model: name, scripted, rights, sharing, choices } = capabilities.custom?.pageside ?? {};
  const media = capabilities.multimodal?.input;
  const remembered = choices && remember(shared);
  return {
    ...(typeof name === "string" && { model: { name, scripted: scripted === true, ...(media && { media }) } }),
    ...(Array.isArray(rights) && { rights: rights.map(String) }),
    ...(typeof sharing === "boolean" && { sharing }),
    ...(choices && { choices }),
    ...(remembered && isOffered(choices, remembered) && { picked: remembered }),
  };
}

/** The part of an agent's capabilities that is shown. */
interface Capabilities {
  custom?: {
    pageside?: {
      model?: unknown;
      scripted?: unknown;
      rights?: unknown;
      sharing?: unknown;
      choices?: readonly OfferedModel[];
    };
  };
  multimodal?: { input?: AgentMedia };
}

/** Chooses the model of the next runs, on all threads, and remembers it. */
export function pickModel({ shared, thread }: Session, model: string, effort?: PickedModel["effort"]): void {
  const picked: PickedModel = { model, ...(effort && { effort }) };
  if (!isOffered(shared.known?.choices ?? [], picked))
    throw new Error(`Pageside: ${model} ${effort ?? ""} is not offered`);
  shared.known = { ...shared.known, picked };
  remember(shared, picked);
  thread.update({});
}

function isOffered(choices: readonly OfferedModel[], { model, effort }: PickedModel): boolean {
  const choice = choices.find(({ id }) => id === model);
  return choice !== undefined && (!effort || choice.efforts?.includes(effort) === true);
}

/** Writes the choice for all tabs, or reads it. Best effort. */
function remember({ memory }: Shared, picked?: PickedModel): PickedModel | undefined {
  const key = `${memory.key}:model`;
  try {
    if (picked) memory.common?.setItem(key, JSON.stringify(picked));
    else return (JSON.parse(memory.common?.getItem(key) ?? "null") as PickedModel | null) ?? undefined;
  } catch {
    // Storage is full, or switched off.
  }
  return undefined;
}
