import type { PagesideClient, Place } from "@pageside/core";
import { disclosureOf, type Disclosure } from "@pageside/core/server";
import { useEffect, useState } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { whileMounted } from "../../ui/whileMounted.js";

/** What the server says of its part, "failed", or undefined while it is read. */
export type Told = Disclosure | "failed" | undefined;

/**
 * What the server adds at the user's place, for the model that answers now; undefined also for a
 * client without a server.
 */
export function useDisclosure(client: PagesideClient, place: Place | undefined, enabled = true): Told {
  const [told, setTold] = useState<{ at: string; is: Told }>();
  const at = useAssistantSnapshot(({ threadId, picked }) => JSON.stringify([place, threadId, picked]));

  useEffect(() => {
    if (client.identity.direct || !enabled) return;
    const show = (is: Told) => setTold({ at, is });
    return whileMounted(ask(client, at), show, () => show("failed"));
  }, [client, at, enabled]);

  return told && told.at === at ? told.is : undefined;
}

const ASKED = Symbol("disclosure");

/** How long an answer is shared, in milliseconds: the composer and the panel show the same. */
const SHARED = 30_000;

/** Asks the server, unless it has just been asked. */
function ask(client: PagesideClient, at: string): Promise<Disclosure> {
  const last = client.extension(ASKED, (): { at?: string; until: number; told?: Promise<Disclosure> } => ({
    until: 0,
  }));
  if (last.told && last.at === at && Date.now() < last.until) return last.told;
  const told = disclosureOf(client).catch((cause: unknown) => {
    if (last.told === told) last.told = undefined;
    throw cause;
  });
  Object.assign(last, { at, told, until: Date.now() + SHARED });
  return told;
}
