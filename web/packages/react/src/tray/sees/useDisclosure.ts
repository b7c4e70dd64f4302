import type { PagesideClient, Place } from "@pageside/core";
import { disclosureOf, type Disclosure } from "@pageside/core/server";
import { useEffect, useState } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";

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
    let isOver = false;
    const show = (is: Told) => isOver || setTold({ at, is });
    void ask(client, at).then(show);
    return () => {
      isOver = true;
    };
  }, [client, at, enabled]);

  return told && told.at === at ? told.is : undefined;
}

const ASKED = Symbol("disclosure");

/** How long an answer is shared, in milliseconds: the composer and the panel show the same. */
const SHARED = 30_000;

/** Asks the server, unless it has just been asked. */
function ask(client: PagesideClient, at: string): Promise<Told> {
  const last = client.extension(ASKED, (): { at?: string; until: number; told?: Promise<Told> } => ({ until: 0 }));
  if (last.told && last.at === at && Date.now() < last.until) return last.told;
  const told = disclosureOf(client).catch((): Told => {
    if (last.told === told) last.told = undefined;
    return "failed";
  });
  Object.assign(last, { at, told, until: Date.now() + SHARED });
  return told;
}
